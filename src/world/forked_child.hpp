// Children that a process of a run has forked: they have a copy of its World, and no part in it.
// MPI has one process of each rank; and what a child gave back, or wrote, would be its parent's.
#pragma once

#include "atoll/namespace.hpp"

namespace lagoon::atoll::detail {

/// Whether this process was forked by one in which a World, or MPI, was running.
bool is_forked_child() noexcept;
/// Error(state) if so.
void refuse_forked_child();

}  // namespace lagoon::atoll::detail
