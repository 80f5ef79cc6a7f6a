/* Sessions that begin again after all have ended, each time with a window of all processes. */
#include <mpi.h>
#include <stdio.h>

int main(void) {
  for (int round = 0; round < 3; ++round) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm all;
    MPI_Win window;
    int rank = 0, size = 0;
    const long one = 1;
    long* base = NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "again", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
    MPI_Group_free(&group);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, all, &base, &window);
    *base = round;
    MPI_Win_fence(0, window);
    MPI_Accumulate(&one, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_fence(0, window);
    printf("rank %d of %d, round %d: %ld\n", rank, size, round, *base);
    fflush(stdout);
    MPI_Win_free(&window);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&session);
  }
  return 0;
}
