// Groups whose last handle has gone, by any thread, until the rank's own thread takes them in.
#pragma once

#include "atoll/namespace.hpp"

namespace lagoon::atoll::detail {

class WorldState;

/// They go from the living to the retired. By the rank's own thread.
void take_in_what_was_let_go(WorldState& world);

}  // namespace lagoon::atoll::detail
