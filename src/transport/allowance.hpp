// Allowance: how much of something may be in use at once. It yields where what is in use stands
// still: ranks that compute for long and take nothing would else stop all others for as long, and
// for ever where they wait for one of those.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

class Allowance {
 public:
  /// So many; and one more for each time of such patience in which nothing came back. What has been
  /// added so stays until there is room again: those that do come back do not wait anew.
  explicit Allowance(std::size_t most, WaitTime patience = waiting::standstill)
      : most_(most), patience_(patience) {}
  bool allows() const noexcept { return in_use_ < most() + added_ || stands_still(); }
  void take() noexcept {
    if (in_use_ >= most() + added_) ++added_;
    if (++in_use_ >= most()) moved_ = std::chrono::steady_clock::now();
  }
  void give_back() noexcept {
    if (in_use_-- >= most()) moved_ = std::chrono::steady_clock::now();
    if (in_use_ < most()) added_ = 0;
  }
  std::size_t in_use() const noexcept { return in_use_; }
  /// Of all allowances: for tests, which have few ranks.
  static inline std::atomic<std::size_t> most_of_all{SIZE_MAX};

 private:
  std::size_t most() const noexcept {
    return std::min(most_, most_of_all.load(std::memory_order_relaxed));
  }
  bool stands_still() const noexcept {
    return std::chrono::steady_clock::now() - moved_ >= patience_;
  }
  std::size_t most_, in_use_ = 0, added_ = 0;
  WaitTime patience_;
  std::chrono::steady_clock::time_point moved_{};  // last, where all are in use
};

}  // namespace lagoon::atoll::detail
