// MPI-IO on MPI_COMM_WORLD: every rank writes its part of a file, in several ways, and reads that
// of another. The first argument is the file.
#include <stdio.h>

#include "checks.h"

static const char* path = NULL;
enum { count = 1000 };

static MPI_File opened(int mode) {
  MPI_File file;
  const int code = MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file);
  CHECK(code == MPI_SUCCESS, "%s cannot be opened", path);
  if (code != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  return file;
}

static void collective_writes_and_reads(void) {
  int *mine = allocate(count * sizeof(int)), *theirs = allocate(count * sizeof(int));
  for (int i = 0; i < count; ++i) mine[i] = 10000 * rank + i;
  MPI_File file = opened(MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Offset bytes = (MPI_Offset)(count * sizeof(int)), all = 0;
  MPI_File_write_at_all(file, rank * bytes, mine, count, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_get_size(file, &all);
  CHECK_EQUAL(all, size * bytes);
  const int other = (rank + 1) % size;
  MPI_File_read_at_all(file, other * bytes, theirs, count, MPI_INT, MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += theirs[i] != 10000 * other + i;
  CHECK(wrong == 0, "%d numbers of rank %d differ", wrong, other);
  MPI_Group group, world;
  int result = MPI_UNEQUAL;
  MPI_File_get_group(file, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &result);
  CHECK_EQUAL(result, MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_File_close(&file);
  free(mine);
  free(theirs);
}

// Each rank every size-th number.
static void views_of_a_file(void) {
  int mine[50], all = 0;
  MPI_Datatype every;
  MPI_Type_vector(50, 1, size, MPI_INT, &every);
  MPI_Type_commit(&every);
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
  for (int i = 0; i < 50; ++i) mine[i] = i * size + rank;
  MPI_File_write_all(file, mine, 50, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&every);
  file = opened(MPI_MODE_RDONLY);
  for (int i = 0; i < 50 * size; ++i) {
    int number = -1;
    MPI_File_read_at(file, i * (MPI_Offset)sizeof(int), &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    all += number == i;
  }
  CHECK_EQUAL(all, 50 * size);
  MPI_File_close(&file);
}

static void writes_in_order_of_ranks(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_File_set_size(file, 0);
  MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Offset place = 0;
  MPI_File_get_position_shared(file, &place);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  int number = -1;
  MPI_File_read_at(file, rank * (MPI_Offset)sizeof(int), &number, 1, MPI_INT, MPI_STATUS_IGNORE);
  CHECK_EQUAL(number, rank);
  MPI_File_close(&file);
  if (rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
}

int main(int argc, char** argv) {
  static const Test tests[] = {{"collective_writes_and_reads", collective_writes_and_reads},
                               {"views_of_a_file", views_of_a_file},
                               {"writes_in_order_of_ranks", writes_in_order_of_ranks},
                               {NULL, NULL}};
  MPI_Init(&argc, &argv);
  path = argc > 1 ? argv[1] : "ghost_files.data";
  const int status = run_tests(tests, 1, argv);
  MPI_Finalize();
  return status;
}
