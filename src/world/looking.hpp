// Looking before sleeping: who was asked a moment ago is likely to be asked again at once, and a
// wake-up costs the asker more than its request. So where a core is free, who serves looks on for a
// while after each request, out of a budget.
#pragma once

#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

/// When to look again at once. It reads no clock itself.
class Looking {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// After a request one looks so long.
  static constexpr WaitTime after_request = std::chrono::milliseconds{2};
  /// Processor time that sleeping and waking take of all concerned: what finds a request for less
  /// has cost nothing more.
  static constexpr WaitTime of_a_sleep = std::chrono::microseconds{70};
  /// All that is looked in vain, or for longer than that, is paid from a budget of processor time:
  /// one part in so many of a core, saved up to `most_saved`.
  static constexpr int one_part_in = 20;
  static constexpr WaitTime most_saved = std::chrono::milliseconds{50};
  /// A look that comes so late had lost its core to somebody: then one sleeps for a time, since a
  /// sleeper that wakes has the core at once.
  static constexpr WaitTime lost_core = std::chrono::microseconds{500};
  static constexpr WaitTime rest = std::chrono::milliseconds{2};

  /// `free_core`: whether there is one.
  explicit Looking(bool free_core) noexcept : free_core_(free_core) {}

  /// A look has ended now, and found something or not; the thread has had so much `processor` time
  /// since it began. True: look again at once.
  bool again(bool found, Time now, WaitTime processor) noexcept;
  /// Slept meanwhile, outside.
  void slept() noexcept { looks_ = false; }

  /// Serves until there is something, or it is time to sleep. True when something moved.
  template <class Serve>
  bool serve(Serve&& look) noexcept {
    static_assert(noexcept(look()), "as of all who wait (waiting.hpp)");
    for (;;) {
      const bool found = look();
      if (!free_core_) return found;
      const bool on = again(found, std::chrono::steady_clock::now(), processor_time());
      if (found || !on) return found;
      yield_core();
    }
  }

 private:
  /// Of this thread.
  static WaitTime processor_time() noexcept;

  const bool free_core_;
  bool looks_ = false;       // since `last_`, without sleep
  WaitTime saved_{0};        // what may be looked in vain; below zero by one look at most
  WaitTime looked_{0};       // paid since the last request
  WaitTime processor_{0};    // at the last look
  Time last_{}, request_{};  // the last look; the last request
  Time rests_until_{};
};

}  // namespace lagoon::atoll::detail
