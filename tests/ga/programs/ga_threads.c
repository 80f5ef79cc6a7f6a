/* A program that starts MPI by MPI_Init, as most do. While process 0 computes, without a call of
   the library, the last one reads its memory: with threads that ends, and only then does process 0.
   Prints "all threads" or "fewer threads" on rank 0. */
#include <ga.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int level = 0, dims, lo = 0, value = 7, ld = 1, g_a, token = 0, done = 0;
  MPI_Init(&argc, &argv);
  MPI_Query_thread(&level);
  GA_Initialize();
  dims = GA_Nnodes();
  g_a = NGA_Create(C_INT, 1, &dims, "a", NULL);
  GA_Fill(g_a, &value);
  GA_Sync();
  if (level == MPI_THREAD_MULTIPLE && GA_Nodeid() == GA_Nnodes() - 1) {
    NGA_Get(g_a, &lo, &lo, &token, &ld);
    if (token != 7) return 1;
    MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  if (level == MPI_THREAD_MULTIPLE && GA_Nodeid() == 0) {
    while (!done) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
    MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (GA_Nodeid() == 0) printf("%s threads\n", level == MPI_THREAD_MULTIPLE ? "all" : "fewer");
  GA_Destroy(g_a);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
