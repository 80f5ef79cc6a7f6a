// NodeMutex: a lock in memory that the ranks of a node share.
#pragma once

#include <atomic>
#include <cstdint>

#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

class WorldState;

/// Zero-initialised memory is a free one. Whoever comes while it is free takes it: one who takes it
/// again and again need not wait for another to wake each time. But those who wait stand in a
/// queue, and no more than `most_passes` get past the first of it, nor for much longer than two
/// milliseconds.
class NodeMutex {
 public:
  static constexpr std::uint16_t most_passes = 16384;

  /// Serves requests while it waits, and sleeps at last.
  void lock(WorldState& world) noexcept {
    if (!try_lock()) wait(world);
  }
  void unlock() noexcept;
  /// How many stand in the queue.
  int waiters() const noexcept;

 private:
  struct State;
  class InQueue;

  State read() const noexcept;
  template <class Make>
  bool change(Make&& make) noexcept;
  bool try_lock() noexcept;
  bool try_lock_from(std::uint16_t place) noexcept;
  std::uint16_t join_queue() noexcept;
  void wait(WorldState& world) noexcept;
  void let_nobody_pass(std::uint16_t place) noexcept;
  void sleep(std::uint16_t place, WaitTime most) noexcept;

  std::atomic<std::uint64_t> state_;
};

}  // namespace lagoon::atoll::detail
