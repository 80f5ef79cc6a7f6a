// NodeMutex: a lock in memory that the ranks of a node share.
#pragma once

#include <atomic>
#include <cstdint>

namespace lagoon::atoll::detail {

class WorldState;

/// Zero-initialised memory is a free one.
class NodeMutex {
 public:
  /// Serves requests while it waits, and sleeps at last.
  void lock(WorldState& world) {
    std::uint32_t expected = free;
    if (!word_.compare_exchange_strong(expected, taken, std::memory_order_acquire)) wait(world);
  }
  void unlock() noexcept {
    if (word_.exchange(free, std::memory_order_release) == awaited) wake_one();
  }

 private:
  static constexpr std::uint32_t free = 0, taken = 1, awaited = 2;  // awaited: taken, with sleepers
  void wait(WorldState& world);
  void wake_one() noexcept;
  std::atomic<std::uint32_t> word_;
};

}  // namespace lagoon::atoll::detail
