// Lock queue: when who waits for a lock asks again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "ghost/windows/lock_word.hpp"

namespace lagoon::atoll::ghost {

/// It asks the later the more are before it, by how fast the queue has moved. All
/// who wait together then ask a few times for each that is let in, not each of them every time.
class LockQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  LockQueue(const LockWord& before, bool exclusive, Time now) noexcept
      : exclusive_(exclusive), ticket_(before.tickets), first_(served(before)), begin_(now) {
    saw(before, now);
  }
  std::int64_t ticket() const noexcept { return ticket_; }
  bool due(Time now) const noexcept { return now >= next_; }
  void saw(const LockWord& lock, Time now) noexcept;

 private:
  std::int64_t served(const LockWord& lock) const noexcept {
    return exclusive_ ? lock.gone : lock.let_in;
  }
  bool exclusive_;
  std::int64_t ticket_, first_;
  Time begin_, next_{};
};

inline void LockQueue::saw(const LockWord& lock, Time now) noexcept {
  using std::chrono::nanoseconds, std::chrono::microseconds, std::chrono::milliseconds;
  const std::int64_t there = served(lock), passed = std::max<std::int64_t>(there - first_, 1);
  const std::int64_t before_the_last = std::max<std::int64_t>(ticket_ - there - 1, 0);
  // Half of the time that those may take, should they be faster than those till now.
  const auto half =
      std::clamp<nanoseconds>((now - begin_) / (2 * passed), microseconds{5}, milliseconds{1});
  next_ = now + half * before_the_last;
}

}  // namespace lagoon::atoll::ghost
