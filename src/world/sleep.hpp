// Sleep of a rank that another one of its node will wake.
#pragma once

#include <atomic>
#include <cstdint>

namespace lagoon::atoll::detail {

class Waiter;
class WorldState;

/// Sleeps once while `word` is `seen`, until somebody wakes it or it is time to look again: where
/// requests of other nodes can only be served by this rank it must look for them from time to time,
/// and so must whoever has messages that MPI has not yet pushed out.
void sleep_while(WorldState& world, Waiter& waiter, const std::atomic<std::uint32_t>& word,
                 std::uint32_t seen);

}  // namespace lagoon::atoll::detail
