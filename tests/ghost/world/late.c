/* Uses a window in a function that MPI_Finalize calls: MPI is still active there. */
#include <mpi.h>
#include <stdio.h>

static MPI_Win window;
static long* base;
static int rank, size;

static int use_and_free(MPI_Comm self, int key, void* value, void* extra) {
  (void)self, (void)key, (void)value, (void)extra;
  const long one = 1;
  long old = -1;
  const int next = (rank + 1) % size;
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, next, 0, MPI_SUM, window);
  MPI_Win_unlock(next, window);
  MPI_Win_free(&window);
  printf("rank %d of %d found %ld\n", rank, size, old);
  fflush(stdout);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  *base = 41 + rank;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_and_free, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Finalize();
  return 0;
}
