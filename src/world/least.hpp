// What all of some ranks find out about each other by messages, while they serve requests. Not a
// collective of MPI's, which would need a communicator of just these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace lagoon::atoll::detail {

class WorldState;

/// That ranks compare at once.
inline constexpr std::size_t most_words = 8;

/// Meets with the others of `members` ranks, of which I am the `me`-th and `world_rank` gives each
/// one's, and brings the least of what they say, word by word. Two ranks that do this in several
/// groups at once do it in one order.
void find_least(WorldState& world, int members, int me, const std::function<int(int)>& world_rank,
                int tag, std::span<std::uint64_t> words);

}  // namespace lagoon::atoll::detail
