// How the layers call MPI: errors are thrown, and nobody spins while waiting.
#pragma once

#include "mpi/handles.hpp"

namespace lagoon::atoll::compat {

/// A program's MPI_Comm as functions in C take and give it, whatever its type is: a number or an
/// address, which go by the same register. Above a number there may be anything.
using ProgramComm = std::uintptr_t;

/// What goes wrong in MPI: Error(communication), beginning with `what`.
void check(int status, const char* what);

/// Waits for the request; serves other ranks meanwhile, as MPI's own waiting would not.
void complete(mpi::Request& request, const char* what, mpi::Status* status = mpi::status_ignore);

}  // namespace lagoon::atoll::compat
