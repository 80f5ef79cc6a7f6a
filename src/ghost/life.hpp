// Life: how the World behind a program begins and ends. Everything here is collective over all
// processes of the job, like the functions of MPI that it stands for.
#pragma once

namespace lagoon::atoll::ghost {

/// MPI's start with at least `required`, then the World by the settings. Returns what MPI returned.
/// A process that becomes a ghost never returns: it serves, ends MPI and leaves with status 0.
/// `provided` is for the program. `by_default`: the program has called MPI_Init, and asks nothing.
int start(int* argc, char*** argv, int required, bool by_default, int& provided);

/// Ends the World; MPI goes on. Does nothing where none runs.
void end() noexcept;

/// Whether `start` has been called.
bool started() noexcept;
/// Whether the settings take ghosts out of the program's ranks.
bool wants_ghosts();

}  // namespace lagoon::atoll::ghost
