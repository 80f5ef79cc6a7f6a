// The World under GA, TCGMSG, ARMCI and the files: whoever comes first starts it, whoever goes last
// ends it. A World that the program itself started is used, and left running.
#pragma once

#include <mpi.h>

#include "atoll/world.hpp"

namespace lagoon::atoll::compat {

/// Collective over `communicator` if no World runs yet, else local. MPI is started if it does not
/// run, and then stopped with the World. Each call is one claim.
World& claim_world(MPI_Comm communicator = MPI_COMM_WORLD);

/// Gives one claim back; the last one ends the World, collectively.
void release_world();

}  // namespace lagoon::atoll::compat
