#include "world/sleep.hpp"

#include "world/waiter.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

void sleep_while(WorldState& world, Waiter& waiter, const std::atomic<std::uint32_t>& word,
                 std::uint32_t seen) {
  constexpr std::chrono::milliseconds longest{10};
  const bool serves =
      !world.chores.empty() || (world.progress != nullptr && world.topology.leader());
  sleep_on(word, seen, serves ? waiter.nap() : longest);
  if (word.load(std::memory_order_acquire) == seen) world.push_messages();
}

}  // namespace lagoon::atoll::detail
