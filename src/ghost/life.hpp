// Life: how the World behind a program begins and ends. Everything here is collective over all
// processes of the job, like the functions of MPI that it stands for.
#pragma once

namespace lagoon::atoll::ghost {

/// MPI's start with at least `required`, then the World by the settings. Returns what MPI returned.
/// A process that becomes a ghost never returns: it serves, ends MPI and leaves with status 0.
/// `provided` is for the program. `by_default`: the program has called MPI_Init, and asks nothing.
int start(int* argc, char*** argv, int required, bool by_default, int& provided);

/// Ends the World, if one runs: before MPI's end, when what this calls of the program has run.
void end() noexcept;

/// Whether `start` has been called.
bool started() noexcept;
/// Whether the settings want a World, and one that takes ghosts out of the program's ranks.
bool wants_world();
bool wants_ghosts();
/// Whether windows are to be told at the end, also where no World runs.
bool wants_report();

}  // namespace lagoon::atoll::ghost
