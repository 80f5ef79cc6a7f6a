// LongAgo: when so many counted seconds ago was. Counted are the seconds in which the process could
// run, so that a machine that stands still costs one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace lagoon::atoll::detail {

class LongAgo {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// REQUIRES: seconds > 0.
  explicit LongAgo(int seconds)
      : step_(1 + (seconds - 1) / most_kept),
        times_(static_cast<std::size_t>((seconds - 1) / step_ + 2), never) {}

  /// One more second. Gives when that was, late by a thousandth at most; `never` before then.
  Time count(Time now) noexcept {
    if (++counted_ % step_ == 0) {
      times_[next_] = now;
      next_ = (next_ + 1) % times_.size();
    }
    return times_[next_];
  }
  void begin_anew() noexcept { std::ranges::fill(times_, never); }

  static constexpr Time never = Time::min();

 private:
  static constexpr int most_kept = 1000;
  const int step_;           // seconds from one that is kept to the next
  std::vector<Time> times_;  // a ring
  std::size_t next_ = 0;     // to be overwritten: the oldest
  int counted_ = 0;
};

}  // namespace lagoon::atoll::detail
