// How the layers call MPI: errors are thrown, and nobody spins while waiting.
#pragma once

#include <mpi.h>

namespace lagoon::atoll::compat {

/// What goes wrong in MPI: Error(communication), beginning with `what`.
void check(int status, const char* what);

/// Waits for the request; serves other ranks meanwhile, as MPI's own waiting would not.
void complete(MPI_Request& request, const char* what, MPI_Status* status = MPI_STATUS_IGNORE);

}  // namespace lagoon::atoll::compat
