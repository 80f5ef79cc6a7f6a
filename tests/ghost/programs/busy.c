// The last rank computes, outside MPI, until every operation of the others on its memory has
// completed: with plain MPI between hosts that is never. The arguments: a folder, where a file says
// that they have; and "create" for a window on the target's own memory.
//
// No time is measured: a target that must help is waited for in vain, and the alarm ends the run.
#include <stdio.h>
#include <unistd.h>

#include "checks.h"

enum { order = 64, leading = 512 };
static char done_file[4096];
static int own_memory = 0;

static void at_the_origin(MPI_Win window, int target) {
  double value = 1.0 + rank, result = 0.0, compare = 0.0, block[order * order];
  long one = 1, old = 0, none = 0;
  MPI_Datatype strided;
  MPI_Request request;
  MPI_Type_vector(order, order, leading, MPI_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  for (int i = 0; i < order * order; ++i) block[i] = i;
  const MPI_Aint counters = (MPI_Aint)order * leading, mine = counters + 8 + rank;

  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
  MPI_Put(&value, 1, MPI_DOUBLE, target, mine, 1, MPI_DOUBLE, window);
  MPI_Win_flush(target, window);
  MPI_Get(&result, 1, MPI_DOUBLE, target, mine, 1, MPI_DOUBLE, window);
  MPI_Win_flush(target, window);
  CHECK(result == value, "get gave %g, expected %g", result, value);
  MPI_Accumulate(&value, 1, MPI_DOUBLE, target, mine, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_flush(target, window);
  MPI_Get_accumulate(&value, 1, MPI_DOUBLE, &compare, 1, MPI_DOUBLE, target, mine, 1, MPI_DOUBLE,
                     MPI_MAX, window);
  MPI_Win_flush(target, window);
  CHECK(compare == 2 * value, "get_accumulate gave %g, expected %g", compare, 2 * value);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, target, counters, MPI_SUM, window);
  MPI_Win_flush(target, window);
  CHECK(old >= 0 && old < size, "fetch_and_op gave %ld", old);
  MPI_Compare_and_swap(&one, &none, &old, MPI_LONG, target, counters + 1, window);
  MPI_Win_flush(target, window);
  MPI_Rget(&result, 1, MPI_DOUBLE, target, mine, 1, MPI_DOUBLE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(target, window);
  // Strided, in another epoch, whose lock a busy target must give as well.
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
  MPI_Put(block, order * order, MPI_DOUBLE, target, 0, 1, strided, window);
  MPI_Win_flush(target, window);
  MPI_Accumulate(block, order * order, MPI_DOUBLE, target, 0, 1, strided, MPI_SUM, window);
  MPI_Win_flush(target, window);
  memset(block, 0, sizeof block);
  MPI_Get(block, order * order, MPI_DOUBLE, target, 0, 1, strided, window);
  MPI_Win_unlock(target, window);
  int wrong = 0;
  for (int i = 0; i < order * order; ++i) wrong += block[i] != 2 * i;
  CHECK(wrong == 0, "%d strided elements are wrong", wrong);
  MPI_Type_free(&strided);
}

static void operations_complete_while_the_target_computes(void) {
  const int target = size - 1;
  const MPI_Aint bytes = (order * leading + 8 + size) * (MPI_Aint)sizeof(double);
  double* base = NULL;
  MPI_Win window;
  if (own_memory) {
    base = allocate((size_t)bytes);
    MPI_Win_create(base, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  } else {
    window = window_of(bytes, sizeof(double), &base);
  }
  MPI_Comm others;
  MPI_Comm_split(MPI_COMM_WORLD, rank == target, rank, &others);
  if (rank == target) {
    while (access(done_file, F_OK) != 0) usleep(1000);
  } else {
    at_the_origin(window, target);
    MPI_Barrier(others);
    FILE* done = rank == 0 ? fopen(done_file, "w") : NULL;
    if (done != NULL) fclose(done);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&others);
  MPI_Win_free(&window);
  if (own_memory) free(base);
}

int main(int argc, char** argv) {
  static const Test tests[] = {{"operations_complete_while_the_target_computes",
                                operations_complete_while_the_target_computes},
                               {NULL, NULL}};
  MPI_Init(&argc, &argv);
  snprintf(done_file, sizeof done_file, "%s/done", argc > 1 ? argv[1] : ".");
  own_memory = argc > 2 && strcmp(argv[2], "create") == 0;
  const int status = run_tests(tests, 1, argv);
  MPI_Finalize();
  return status;
}
