/* MPI is started by GA_Initialize_args, used by the program behind GA_Terminate, and ended by the
   program itself; with the argument "left" by nobody but its exit. Prints "ok" on rank 0. */
#include <ga.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, ranks, sum, ended = 1, round;
  for (round = 0; round < 2; ++round) { /* GA may start again: MPI runs still */
    GA_Initialize_args(&argc, &argv);
    ranks = GA_Nnodes();
    GA_Terminate();
    MPI_Finalized(&ended);
    if (ended) return 1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != ranks * (ranks - 1) / 2) return 2;
  if (argc == 1) MPI_Finalize();
  if (rank == 0) printf("ok\n");
  return 0;
}
