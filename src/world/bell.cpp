// How a rank waits for another one of its node that will ring.
#include "world/bell.hpp"

#include "world/sleep.hpp"
#include "world/waiter.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

void Bell::ring(std::uint32_t value) noexcept {
  // Sequentially consistent with a sleeper: we see it, or it sees the value.
  value_.store(value, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) wake_all(value_);
}

void Bell::wait_while(WorldState& world, std::uint32_t seen) {
  if (value() != seen) return;
  Waiter waiter;
  do {
    if (world.serve()) {
      waiter.reset();
    } else if (!waiter.should_sleep()) {
      waiter.pause();
    } else {
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      if (value_.load(std::memory_order_seq_cst) == seen) sleep_while(world, waiter, value_, seen);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  } while (value() == seen);
}

}  // namespace lagoon::atoll::detail
