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

/// The communicator's ranks as a group, in its order; none where they are not all of the program's
/// world. Collective over the communicator, which keeps the group.
std::optional<Group> group_of(MPI_Comm communicator);

}  // namespace lagoon::atoll::ghost
