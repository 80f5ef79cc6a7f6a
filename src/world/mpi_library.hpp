// Detecting a program, or a libmpi, of another MPI than the one this library was compiled for.
#pragma once

#include "atoll/mpi_header.hpp"

namespace lagoon::atoll::detail {

/// Throws Error(communication) with an explanation when the program was compiled for an MPI of
/// another family, or runs with the library of one. Call before any MPI function that takes a
/// handle: those of one family make another one crash.
void require_our_mpi(const MpiHeader& of_program);

}  // namespace lagoon::atoll::detail
