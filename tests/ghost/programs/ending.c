// Ends in one of several ways, with a window open: "abort", "kill", "leave" (without MPI_Finalize)
// or "error" (a put that leaves the window), by the last rank, while the others wait for it; or
// "well".
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "well";
  int rank = 0, size = 0;
  const int one = 1;
  int* base = NULL;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  *base = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_flush_all(window);
  printf("process %d\n", (int)getpid());
  fflush(stdout);
  if (rank == size - 1) {
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "leave") == 0) _exit(5);
    if (strcmp(how, "error") == 0) MPI_Put(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  if (rank == 0) puts("the end");
  return 0;
}
