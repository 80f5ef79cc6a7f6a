// Waiter: how a rank or an agent waits. First it spins (only where every thread has a core of its
// own), then it yields, then it sleeps, longer and longer up to 200 microseconds; traffic resets
// it. An oversubscribed machine is where Atoll is tested, so nothing may spin without yielding.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lagoon::atoll::detail {

/// Puts the calling thread to sleep until `word` differs from `seen`, somebody wakes it, or the
/// time is over. Works between processes (futex).
void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
              std::chrono::microseconds at_most) noexcept;
void wake_all(std::atomic<std::uint32_t>& word) noexcept;

class Waiter {
 public:
  /// Set once at start-up: whether ranks and agents outnumber the cores.
  static void set_oversubscribed(bool oversubscribed) noexcept;
  static bool oversubscribed() noexcept;

  /// One step of waiting for something that nobody will wake us for.
  void pause() noexcept;
  /// Whether the next step is to sleep; then the caller may sleep on a word instead.
  bool should_sleep() const noexcept { return stage_ == Stage::sleep; }
  std::chrono::microseconds nap() noexcept;
  void reset() noexcept;

 private:
  enum class Stage : std::uint8_t { fresh, spin, yield, sleep };
  Stage stage_ = Stage::fresh;
  std::uint32_t steps_ = 0;
  std::chrono::microseconds nap_{0};
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace lagoon::atoll::detail
