/* What a program finds that starts MPI by sessions, or by MPI_Init and sessions ("both"). */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int initialized = 0, rank = 0, size = 0, sum = 0, in_set = 0;
  if (argc > 1) MPI_Init(&argc, &argv);
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Initialized(&initialized);
  MPI_Group group;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_size(group, &in_set);
  MPI_Comm all;
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Group_free(&group);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  printf("rank %d of %d, set of %d, sum %d, initialized %d\n", rank, size, in_set, sum,
         initialized);
  MPI_Comm_free(&all);
  MPI_Session_finalize(&session);
  if (argc > 1) MPI_Finalize();
  return 0;
}
