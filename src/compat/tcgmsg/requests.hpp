// How TCGMSG calls MPI: errors are thrown, and nobody spins while waiting.
#pragma once

#include <mpi.h>

#include "atoll/world.hpp"

namespace lagoon::atoll::tcgmsg {

/// What goes wrong in MPI: Error(communication), beginning with `what`.
void check(int status, const char* what);

/// Waits for the request; serves other ranks meanwhile.
void complete(const World& world, MPI_Request& request, const char* what,
              MPI_Status* status = MPI_STATUS_IGNORE);

}  // namespace lagoon::atoll::tcgmsg
