// The simulated MPI, as the table of the face.
#pragma once

#include <cstddef>

#include "mpi/calls.hpp"

namespace lagoon::atoll::mpi {

const Calls& calls_of_simulation();

}  // namespace lagoon::atoll::mpi

/// Called by mpi/library.cpp where ATOLL_SIMULATE is set; false: this library is of another build.
extern "C" bool atoll_simulation_fill(lagoon::atoll::mpi::Calls* into, std::size_t bytes);
