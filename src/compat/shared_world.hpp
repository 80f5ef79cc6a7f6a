// The World under GA, TCGMSG, ARMCI and the files: whoever comes first starts it, whoever goes last
// ends it. A World that the program itself started is used, and left running.
#pragma once

#include "atoll/world.hpp"
#include "mpi/handles.hpp"

namespace lagoon::atoll::compat {

/// Collective over `communicator` if no World runs yet, else local. MPI is started if it does not
/// run, and goes on behind the World: programs still call it, and end it themselves. Where one does
/// not, its exit with status 0 does. Each call is one claim.
World& claim_world(mpi::Comm communicator = mpi::comm_world);

/// Gives one claim back; the last one ends the World, collectively.
void release_world();

/// Ends MPI if `claim_world` has started it and no World runs. Collective over all processes.
void end_mpi() noexcept;

}  // namespace lagoon::atoll::compat
