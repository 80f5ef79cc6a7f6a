/* A window of 16 TiB, of which both ends are touched: it takes memory where it is touched. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const MPI_Aint bytes = (MPI_Aint)1 << 44, last = bytes / (MPI_Aint)sizeof(long) - 1;
  int rank = 0, size = 0;
  long* base = NULL;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(rank == 0 ? bytes : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                   &window);
  MPI_Win_fence(0, window);
  if (rank == size - 1) {
    const long ends[] = {17, 42};
    MPI_Put(&ends[0], 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
    MPI_Put(&ends[1], 1, MPI_LONG, 0, last, 1, MPI_LONG, window);
  }
  MPI_Win_fence(0, window);
  if (rank == 0) printf("%ld %ld\n", base[0], base[last]);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
