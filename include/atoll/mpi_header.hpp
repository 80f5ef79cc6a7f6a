// Which MPI a file is compiled for, as its mpi.h tells: a program and the MPI that it runs with
// must agree on it, since the handles of one family of MPIs mean nothing to another. World compares
// at its start. Atoll itself is compiled for none, and runs with all.
#pragma once

// Where there is no mpi.h, or ATOLL_WITHOUT_MPI_H is defined, there is no World(MPI_Comm).
#if !defined(ATOLL_WITHOUT_MPI_H) && __has_include(<mpi.h>)
#include <mpi.h>
#endif

#include <cstddef>

#include "atoll/mpi_family.hpp"

namespace lagoon::atoll {

namespace detail {

#if defined(OMPI_MAJOR_VERSION)
constexpr MpiFamily mpi_family = MpiFamily::open_mpi;
#elif defined(MPICH_NAME) || defined(I_MPI_VERSION)
constexpr MpiFamily mpi_family = MpiFamily::mpich;
#elif defined(MPI_ABI_VERSION)
constexpr MpiFamily mpi_family = MpiFamily::standard;
#elif defined(MPI_VERSION)
constexpr MpiFamily mpi_family = MpiFamily::other;
#else
constexpr MpiFamily mpi_family = MpiFamily::none;
#endif

#if defined(MPI_VERSION)
constexpr std::size_t mpi_handle_bytes = sizeof(MPI_Comm);
#else
constexpr std::size_t mpi_handle_bytes = 0;
#endif

}  // namespace detail

/// What of mpi.h a program and its MPI must have in common. One that is made with no values has
/// those of the file which makes it.
struct MpiHeader {
  MpiFamily family = detail::mpi_family;
  std::size_t handle_bytes = detail::mpi_handle_bytes;

  friend bool operator==(const MpiHeader&, const MpiHeader&) = default;
};

}  // namespace lagoon::atoll
