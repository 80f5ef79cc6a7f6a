// Ghost: what the parts of libatoll_ghost.so have in common. The library stands between a program
// that knows nothing of Atoll and its MPI, and runs a World there (docs/ghost.md).
//
// Sources of this folder call MPI by its PMPI_ names, which lead to the real MPI: those that other
// libraries call are wrapped, like the MPI_ names (scripts/ghost_wrappers.py).
#pragma once

#include <mpi.h>

#include <mutex>
#include <string>

namespace lagoon::atoll::ghost {

enum class Mode : unsigned char { off, thread, ranks };

namespace detail {
extern MPI_Comm world;  // MPI_COMM_WORLD itself until a World runs
extern bool running;
}  // namespace detail

/// Whether a World runs: windows are redirected. Else everything passes through to PMPI unchanged.
inline bool active() noexcept { return detail::running; }
/// The communicator of the ranks that the program sees. Not freed before MPI ends.
inline MPI_Comm user_world() noexcept { return detail::world; }
/// MPI_COMM_WORLD -> `user_world`; anything else unchanged.
inline MPI_Comm visible(MPI_Comm communicator) noexcept {
  return communicator == MPI_COMM_WORLD ? detail::world : communicator;
}

/// How the World is served.
Mode mode() noexcept;
/// What MPI_Query_thread tells the program. Our own threads may have more.
int thread_level() noexcept;
/// Whether some rank's program may call from several threads at once. The same on all ranks.
bool threads_meet() noexcept;
/// Whether MPI allows threads of our own, whatever the program has asked for.
bool threads_allowed() noexcept;
/// For all entries into Atoll. Cheap where the program has less than MPI_THREAD_MULTIPLE.
std::recursive_mutex& library_lock();

/// A line on stderr, "atoll ghost: ...", of the program's rank 0.
void say(const std::string& line);
/// ATOLL_GHOST_CHECK=1, which `atoll ghost --check` sets: windows are to be told at the end.
bool checking() noexcept;

}  // namespace lagoon::atoll::ghost
