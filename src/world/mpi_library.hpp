// Detecting a program, or a libmpi, of another MPI than the one this library was compiled for.
#pragma once

#include <string>
#include <string_view>

#include "atoll/mpi_header.hpp"

namespace lagoon::atoll::detail {

/// What libmpi says of itself in a few words, "MPICH 5.0.2"; MPI need not run.
std::string running_library();

/// The family of a library that says so of itself; with a name unknown here it is of ours.
MpiFamily family_of(std::string_view library);

/// Whether MPI has been started and not ended yet.
bool mpi_is_active() noexcept;

/// Throws Error(communication) with an explanation when the program was compiled for an MPI of
/// another family, or runs with the library of one. Call before any MPI function that takes a
/// handle: those of one family make another one crash.
void require_our_mpi(const MpiHeader& of_program);

}  // namespace lagoon::atoll::detail
