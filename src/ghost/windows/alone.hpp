// Alone: a communicator of this process, for what is nobody else's business.
#pragma once

#include <mpi.h>

namespace lagoon::atoll::ghost {

/// Errors on it are returned. Never freed.
MPI_Comm alone();

}  // namespace lagoon::atoll::ghost
