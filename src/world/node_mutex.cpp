// Waiting for a lock by a futex: U. Drepper, "Futexes are tricky" (2011), the third of its mutexes.
#include "world/node_mutex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "world/sleep.hpp"
#include "world/waiter.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// What is held for no longer than these takes is not worth a sleep and a call to wake.
constexpr int looks_before_sleep = 100;

}  // namespace

// Who takes it here cannot know whether others sleep, and so leaves it as awaited.
void NodeMutex::wait(WorldState& world) {
  for (int i = 0; i < looks_before_sleep && !Waiter::oversubscribed(); ++i) {
    std::uint32_t expected = free;
    if (word_.load(std::memory_order_relaxed) == free &&
        word_.compare_exchange_weak(expected, taken, std::memory_order_acquire))
      return;
    if (i % 16 == 15) (void)world.serve();
  }
  Waiter waiter;
  while (word_.exchange(awaited, std::memory_order_acquire) != free) {
    if (world.serve())
      waiter.reset();
    else
      sleep_while(world, waiter, word_, awaited);
  }
}

void NodeMutex::wake_one() noexcept {
  syscall(SYS_futex, &word_, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace lagoon::atoll::detail
