// The families of MPI.
#pragma once

#include <cstdint>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

/// MPIs of one family share a binary interface: a program of one runs with another. Intel MPI, Cray
/// MPICH and MVAPICH are of MPICH's. cmake/AtollMpiFamily.cmake asks the same. `none`: a file that
/// reads no mpi.h fits all.
enum class MpiFamily : std::uint8_t { mpich, open_mpi, standard, other, none };

}  // namespace lagoon::atoll
