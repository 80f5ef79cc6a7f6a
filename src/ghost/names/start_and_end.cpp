// MPI's start and end, by the names that the program calls.
#include <mpi.h>

#include "ghost/ghost.hpp"
#include "ghost/life.hpp"
#include "ghost/sessions.hpp"

using namespace lagoon::atoll::ghost;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  int provided = 0;
  if (program_starts_world()) return MPI_SUCCESS;
  return start(argc, argv, MPI_THREAD_SINGLE, true, provided);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (program_starts_world()) {
    *provided = thread_level();
    return MPI_SUCCESS;
  }
  return start(argc, argv, required, false, *provided);
}

int MPI_Initialized(int* flag) {
  const int status = PMPI_Initialized(flag);
  if (only_sessions()) *flag = 0;
  return status;
}

int MPI_Finalized(int* flag) {
  const int status = PMPI_Finalized(flag);
  if (only_sessions()) *flag = 0;
  return status;
}

int MPI_Query_thread(int* provided) {
  if (!active()) return PMPI_Query_thread(provided);
  *provided = thread_level();
  return MPI_SUCCESS;
}

/// Of all processes: the ghosts must not outlive the program.
int MPI_Abort(MPI_Comm comm, int errorcode) {
  return PMPI_Abort(active() && visible(comm) == user_world() ? MPI_COMM_WORLD : comm, errorcode);
}

}  // extern "C"
