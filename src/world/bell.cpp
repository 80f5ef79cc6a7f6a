// How a rank waits for another one of its node that will ring.
#include "world/bell.hpp"

#include "world/waiter.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// A sleeper may miss nothing (the futex word is the value), but where requests of other nodes can
// only be served by this rank it must look for them from time to time, and so must whoever has
// messages that MPI has not yet pushed out.
constexpr std::chrono::microseconds longest_sleep{10000};

}  // namespace

void Bell::ring(std::uint32_t value) noexcept {
  // Sequentially consistent with a sleeper: we see it, or it sees the value.
  value_.store(value, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) wake_all(value_);
}

void Bell::wait_while(WorldState& world, std::uint32_t seen) {
  if (value() != seen) return;
  Waiter waiter;
  const bool serves =
      !world.chores.empty() || (world.progress != nullptr && world.topology.leader());
  do {
    if (world.serve()) {
      waiter.reset();
    } else if (!waiter.should_sleep()) {
      waiter.pause();
    } else {
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      const std::chrono::nanoseconds nap = serves ? waiter.nap() : longest_sleep;
      if (value_.load(std::memory_order_seq_cst) == seen) sleep_on(value_, seen, nap);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (value() == seen) world.push_messages();
    }
  } while (value() == seen);
}

}  // namespace lagoon::atoll::detail
