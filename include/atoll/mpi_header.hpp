// Which MPI a file is compiled for, as its mpi.h tells: a program and Atoll must agree on it, since
// the handles of one family of MPIs mean nothing to another. World compares at its start.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

/// MPIs of one family share a binary interface: a program of one runs with another. Intel MPI, Cray
/// MPICH and MVAPICH are of MPICH's. cmake/AtollMpiFamily.cmake asks the same.
enum class MpiFamily : std::uint8_t { mpich, open_mpi, standard, other };

namespace detail {

#if defined(OMPI_MAJOR_VERSION)
constexpr MpiFamily mpi_family = MpiFamily::open_mpi;
#elif defined(MPICH_NAME) || defined(I_MPI_VERSION)
constexpr MpiFamily mpi_family = MpiFamily::mpich;
#elif defined(MPI_ABI_VERSION)
constexpr MpiFamily mpi_family = MpiFamily::standard;
#else
constexpr MpiFamily mpi_family = MpiFamily::other;
#endif

}  // namespace detail

/// What of mpi.h a program and a library must have in common. One that is made with no values has
/// those of the file which makes it.
struct MpiHeader {
  MpiFamily family = detail::mpi_family;
  std::size_t handle_bytes = sizeof(MPI_Comm), status_bytes = sizeof(MPI_Status);

  friend bool operator==(const MpiHeader&, const MpiHeader&) = default;
};

}  // namespace lagoon::atoll
