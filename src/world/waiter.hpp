// Waiter: how a rank or an agent waits. First it spins (only where every thread has a core of its
// own), then it yields, then it takes naps, the longer the longer it has waited; traffic resets it.
// An oversubscribed machine is where Atoll is tested, so nothing may spin without yielding.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace lagoon::atoll::detail {

/// Puts the calling thread to sleep until `word` differs from `seen`, somebody wakes it, or the
/// time is over. Works between processes (futex).
void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
              std::chrono::nanoseconds at_most) noexcept;
void wake_all(std::atomic<std::uint32_t>& word) noexcept;

/// How long to sleep between two looks after `waited` without success. A look of a sleeper costs
/// about 10 microseconds of somebody's core. So a nap is a `share` of the time waited, but no more
/// than 100 microseconds as long as there may be traffic, and later 2 % of the time waited: what
/// comes at last is seen late by 1 % on average. Transfers need no shorter naps: sockets hold what
/// a fast network brings meanwhile, and looks take their core from those that copy (measured).
constexpr std::chrono::nanoseconds nap_after(std::chrono::nanoseconds waited, int share,
                                             std::chrono::nanoseconds shortest,
                                             std::chrono::nanoseconds longest) noexcept {
  constexpr std::chrono::nanoseconds in_traffic = std::chrono::microseconds{100};
  const auto soon = std::clamp(waited / share, shortest, in_traffic);
  return std::max(soon, std::min(waited / 50, longest));
}

/// Sleeps as long as asked: the kernel may add the thread's timer slack, 50 microseconds as a rule.
void take_nap(std::chrono::nanoseconds time) noexcept;

class Waiter {
 public:
  /// Set once at start-up: whether ranks and agents outnumber the cores.
  static void set_oversubscribed(bool oversubscribed) noexcept;
  static bool oversubscribed() noexcept;
  /// Lets another thread have the core.
  static void yield() noexcept;

  /// One step of waiting for something that nobody will wake us for.
  void pause() noexcept;
  /// Whether the next step is to sleep; then the caller may sleep on a word instead.
  bool should_sleep() const noexcept { return stage_ == Stage::sleep; }
  std::chrono::nanoseconds nap() const noexcept;
  void reset() noexcept;

 private:
  enum class Stage : std::uint8_t { fresh, spin, yield, sleep };
  Stage stage_ = Stage::fresh;
  std::uint32_t steps_ = 0;
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace lagoon::atoll::detail
