// Registry: the program's windows by their handles, and Atoll's groups by the program's
// communicators.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "atoll/group.hpp"
#include "ghost/windows/window.hpp"

namespace lagoon::atoll::ghost {

/// Of a handle that `MPI_Win_allocate` gave; null for a window of MPI's own.
Window* find_window(MPI_Win handle) noexcept;
void enter_window(MPI_Win handle, std::unique_ptr<Window> window);
std::unique_ptr<Window> take_window(MPI_Win handle);

/// The ranks of one group in another; MPI_UNDEFINED of who is not there.
std::vector<int> ranks_in(MPI_Group all, MPI_Group members);

/// The communicator's ranks in the program's world; none where they are not all there.
std::optional<std::vector<int>> world_ranks(MPI_Comm communicator);
/// They as a group, in the communicator's order. Collective over the communicator, which keeps the
/// group.
Group group_of(MPI_Comm communicator, const std::vector<int>& ranks);

}  // namespace lagoon::atoll::ghost
