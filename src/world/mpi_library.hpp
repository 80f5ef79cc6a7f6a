// Detecting a program that was compiled for another MPI than the one it runs with.
#pragma once

#include <string>
#include <string_view>

#include "atoll/mpi_header.hpp"

namespace lagoon::atoll::detail {

/// What libmpi says of itself in a few words, "MPICH 5.0.2"; MPI need not run.
std::string running_library();

/// The family of a library that says so of itself; with a name unknown here it is the one in use.
MpiFamily family_of(std::string_view library);

/// Whether MPI has been started and not ended yet.
bool mpi_is_active() noexcept;

/// Whether MPI has been started, and may have ended since.
bool mpi_was_started() noexcept;

/// Throws Error(communication) with an explanation when the program was compiled for an MPI of
/// another family than the one it runs with, or there is no MPI that can be used. Call before any
/// handle of the program's is looked at: those of one family make another one crash.
void require_our_mpi(const MpiHeader& of_program);

/// Throws Error(communication) when the program's MPI_Get_library_version, whose address it gives,
/// is not that of the MPI in use: the program has an MPI of its own then, linked statically.
void require_one_mpi(const void* function_of_program);

}  // namespace lagoon::atoll::detail
