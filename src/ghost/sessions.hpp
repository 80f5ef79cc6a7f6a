// Sessions: a program that starts MPI by sessions alone has a World, too. Where it has ghosts, the
// first session starts it; else the first window of all its processes does, since a session is one
// process's own affair, and a World everybody's. Sessions may end and begin again, but neither a
// World nor MPI_Init may: so the World goes on until the program ends.
#pragma once

#include <mpi.h>

namespace lagoon::atoll::ghost {

/// MPI_Init: whether sessions have started MPI already, behind the program's back.
bool program_starts_world() noexcept;
/// Whether the program has sessions, or had, and has not called MPI_Init.
bool only_sessions() noexcept;

/// Collective over a communicator that gets a window: starts the World where sessions are all that
/// the program has, and these are all its processes.
void begin_for_window(MPI_Comm communicator);

}  // namespace lagoon::atoll::ghost
