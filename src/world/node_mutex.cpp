// Waiting for a lock by a futex: U. Drepper, "Futexes are tricky" (2011), the third of its mutexes.
#include "world/node_mutex.hpp"

#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

// Who takes it asleep cannot know whether others sleep, and so leaves it as awaited.
void NodeMutex::wait(WorldState& world) {
  for (int i = 1; i <= waiting::looks_for_mutex && !oversubscribed(); ++i) {
    std::uint32_t expected = free;
    if (word_.load(std::memory_order_relaxed) == free &&
        word_.compare_exchange_weak(expected, taken, std::memory_order_acquire))
      return;
    if (i % waiting::looks_between_work == 0) (void)world.serve();
  }
  wait_until(
      waiting::mutex, [&] { return word_.exchange(awaited, std::memory_order_acquire) == free; },
      world,
      [&](WaitTime nap, WaitTime rung) {
        sleep_on(word_, awaited, world.needs_looks() ? nap : rung);
      });
}

void NodeMutex::wake_one() noexcept { wake(word_, 1); }

}  // namespace lagoon::atoll::detail
