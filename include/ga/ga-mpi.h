/* MPI communicators of Global Arrays' groups: for the program's own messages, not to be freed. */
#ifndef ATOLL_GA_GA_MPI_H
#define ATOLL_GA_GA_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the processes that compute; progress ranks are not among them. */
MPI_Comm GA_MPI_Comm(void);
MPI_Comm GA_MPI_Comm_pgroup(int pgroup);
MPI_Comm GA_MPI_Comm_pgroup_default(void);

/* Starts Global Arrays on a communicator, collectively; returns 1 on those that compute, 0 on
 * progress ranks. */
int GA_Initialize_comm(MPI_Comm comm);
int NGA_Initialize_comm(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
