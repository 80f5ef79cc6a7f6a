/* refused FUNCTION: an operation that its type does not have, in a window whose errors end the run
 * (as those of all windows do where nobody says otherwise). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank = 0;
  double value = 1, old = 0;
  float small = 1, small_old = 0;
  void* base = NULL;
  MPI_Win window;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0 && strcmp(argv[1], "MPI_Accumulate") == 0)
    MPI_Accumulate(&value, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_BAND, window);
  if (rank == 0 && strcmp(argv[1], "MPI_Fetch_and_op") == 0)
    MPI_Fetch_and_op(&small, &small_old, MPI_FLOAT, 1, 0, MPI_BXOR, window);
  if (rank == 0 && strcmp(argv[1], "MPI_Rget_accumulate") == 0)
    MPI_Rget_accumulate(&value, 1, MPI_DOUBLE, &old, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_LOR,
                        window, &request);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  if (rank == 0) puts("it was taken");
  MPI_Finalize();
  return 0;
}
