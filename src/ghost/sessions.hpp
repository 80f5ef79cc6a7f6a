// Sessions: a program that starts MPI by sessions alone has a World, too, where it has ghosts; the
// first session starts it, the last one ends it.
#pragma once

namespace lagoon::atoll::ghost {

/// MPI_Init: whether sessions have started MPI already, behind the program's back.
bool program_starts_world() noexcept;
/// Whether the program has sessions, or had, and has not called MPI_Init.
bool only_sessions() noexcept;

}  // namespace lagoon::atoll::ghost
