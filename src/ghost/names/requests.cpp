// MPI's waiting for requests, as far as it moves on those of windows on Atoll's memory. The other
// functions that ask for requests leave that to the mover.
#include <mpi.h>

#include "ghost/windows/request.hpp"

using namespace lagoon::atoll::ghost;

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (request != nullptr) complete_own({request, 1});
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
  if (count > 0 && array_of_requests != nullptr)
    complete_own({array_of_requests, static_cast<std::size_t>(count)});
  return PMPI_Waitall(count, array_of_requests, array_of_statuses);
}

}  // extern "C"
