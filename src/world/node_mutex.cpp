// Waiting for a lock: who is first in the queue sleeps on a futex until the lock is let go. If
// others pass it then, it takes naps from which nobody need wake it: a call to wake for each time
// that the lock is taken would cost more than many a thing that is done under it. But after
// two milliseconds it lets nobody pass.
#include "world/node_mutex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

using Words = std::atomic<std::uint64_t>;  // of which a futex is the first half, in memory
static_assert(sizeof(Words) == sizeof(std::uint64_t));

/// Places agree in their mark only where 32 others are between: those who need not wake look again.
std::uint32_t mark_of(std::uint16_t place) noexcept { return 1U << (place % 32U); }

void sleep_on(const Words& words, std::uint32_t seen, std::uint16_t place, WaitTime most) noexcept {
  // Unlike FUTEX_WAIT it takes the time when to end.
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  const std::int64_t nanoseconds = end.tv_nsec + most.count();
  end.tv_sec += nanoseconds / 1000000000;
  end.tv_nsec = nanoseconds % 1000000000;
  syscall(SYS_futex, &words, FUTEX_WAIT_BITSET, seen, &end, nullptr, mark_of(place));
}

void wake(Words& words, std::uint16_t place) noexcept {
  syscall(SYS_futex, &words, FUTEX_WAKE_BITSET, INT32_MAX, nullptr, nullptr, mark_of(place));
}

constexpr std::chrono::microseconds passed_nap{100}, longest_passed{2000};

}  // namespace

struct NodeMutex::State {
  // The word that sleepers sleep on.
  std::uint8_t taken, asleep;  // asleep: who is first in the queue may be
  std::uint16_t first;         // places in the queue go round

  std::uint16_t next;    // the place of who comes next
  std::uint16_t passes;  // past who is first

  bool is_awaited() const noexcept { return first != next; }
  std::uint32_t word() const noexcept {
    return std::bit_cast<std::array<std::uint32_t, 2>>(*this)[0];
  }
};

NodeMutex::State NodeMutex::read() const noexcept {
  return std::bit_cast<State>(state_.load(std::memory_order_relaxed));
}

/// Changes the state as `make` says, which refuses by false.
template <class Make>
bool NodeMutex::change(Make&& make) noexcept {
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  for (;;) {
    State state = std::bit_cast<State>(seen);
    if (!make(state)) return false;
    if (state_.compare_exchange_weak(seen, std::bit_cast<std::uint64_t>(state),
                                     std::memory_order_acq_rel, std::memory_order_relaxed))
      return true;
  }
}

int NodeMutex::waiters() const noexcept {
  const State state = read();
  return static_cast<std::uint16_t>(state.next - state.first);
}

bool NodeMutex::try_lock() noexcept {
  return change([](State& state) {
    if (state.taken != 0 || (state.is_awaited() && state.passes >= most_passes)) return false;
    if (state.is_awaited()) ++state.passes;
    state.taken = 1;
    return true;
  });
}

/// Of who has this place in the queue.
bool NodeMutex::try_lock_from(std::uint16_t place) noexcept {
  return change([place](State& state) {
    if (state.taken != 0 || state.first != place) return false;
    ++state.first;
    state.taken = 1;
    state.passes = 0;
    state.asleep = state.is_awaited() ? 1 : 0;
    return true;
  });
}

void NodeMutex::unlock() noexcept {
  std::uint16_t first = 0;
  bool wakes = false;
  (void)change([&](State& state) {
    wakes = state.asleep != 0;
    first = state.first;
    state.taken = state.asleep = 0;
    return true;
  });
  if (wakes) wake(state_, first);
}

std::uint16_t NodeMutex::join_queue() noexcept {
  std::uint16_t place = 0;
  (void)change([&](State& state) {
    if (!state.is_awaited()) state.passes = 0;
    place = state.next++;
    return true;
  });
  return place;
}

/// One who waits: what it has seen of the lock since it came first.
class NodeMutex::InQueue {
 public:
  InQueue(NodeMutex& mutex, std::uint16_t place) noexcept : mutex_(mutex), place_(place) {}

  /// REQUIRES: the lock could not be had.
  void sleep(WaitTime most) noexcept {
    const State seen = mutex_.read();
    const auto now = std::chrono::steady_clock::now();
    const bool passed = is_first_ && seen.passes != passes_;
    passes_ = seen.passes;
    if (seen.first == place_ && !is_first_) {
      is_first_ = true;
      first_since_ = now;
    }
    if (is_first_ && now - first_since_ >= longest_passed)
      mutex_.let_nobody_pass(place_);
    else if (passed)
      return take_nap(passed_nap);
    mutex_.sleep(place_, most);
  }

 private:
  NodeMutex& mutex_;
  const std::uint16_t place_;
  bool is_first_ = false;
  std::uint16_t passes_ = 0;
  std::chrono::steady_clock::time_point first_since_;
};

void NodeMutex::wait(WorldState& world) noexcept {
  const std::uint16_t place = join_queue();
  for (int i = 1; i <= waiting::looks_for_mutex && !oversubscribed(); ++i) {
    if (try_lock_from(place)) return;
    if (i % waiting::looks_between_work == 0) (void)world.serve();
  }
  InQueue me(*this, place);
  wait_until(
      waiting::mutex, [&] { return try_lock_from(place); }, world,
      [&](WaitTime nap, WaitTime rung) { me.sleep(world.needs_looks() ? nap : rung); });
}

void NodeMutex::let_nobody_pass(std::uint16_t place) noexcept {
  (void)change([place](State& state) {
    const bool passable = state.first == place && state.passes < most_passes;
    if (passable) state.passes = most_passes;
    return passable;
  });
}

/// Until it may be this place's turn.
void NodeMutex::sleep(std::uint16_t place, WaitTime most) noexcept {
  std::uint32_t seen = 0;
  const bool waits = change([&](State& state) {
    const bool is_first = state.first == place;
    if (is_first && state.taken == 0) return false;
    if (is_first) state.asleep = 1;
    seen = state.word();
    return true;
  });
  if (waits) sleep_on(state_, seen, place, most);
}

}  // namespace lagoon::atoll::detail
