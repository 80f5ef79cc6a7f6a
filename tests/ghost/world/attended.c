/* A window on the program's own memory, which MPI's progress serves. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long memory = 41 + rank, found = 0;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  const int next = (rank + 1) % size;
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
  MPI_Get(&found, 1, MPI_LONG, next, 0, 1, MPI_LONG, window);
  MPI_Win_unlock(next, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  printf("rank %d of %d found %ld\n", rank, size, found);
  MPI_Finalize();
  return 0;
}
