// Doing: what a thread that calls Atoll is in the midst of, for those who ask it when the run is
// stuck (watchdog.hpp). Followed only with ATOLL_TIMEOUT.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "world/process.hpp"

namespace lagoon::atoll::detail {

struct Doing {
  std::string_view operation;
  const std::string* array = nullptr;  ///< as the profile describes it; null: none
  std::chrono::steady_clock::time_point since{};
  const Doing* outer = nullptr;

  void begin() noexcept {
    since = std::chrono::steady_clock::now();
    outer = current.load(std::memory_order_relaxed);
    current.store(this, std::memory_order_release);
    if (outer == nullptr) inside.store(this_thread(), std::memory_order_relaxed);
  }
  void end() const noexcept {
    current.store(outer, std::memory_order_release);
    if (outer == nullptr) inside.store(0, std::memory_order_relaxed);
  }

  /// The thread's innermost; null outside of Atoll. Read by a signal's handler upon the thread, who
  /// may not allocate: a thread that knows its own number has this, too.
  static inline thread_local std::atomic<const Doing*> current = nullptr;
  /// The thread that has come into Atoll last and is there; 0: none.
  static inline std::atomic<pid_t> inside = 0;
  /// Whether anybody asks.
  static inline bool followed = false;
};

/// One call, from here to its end. `operation` outlives it.
class FollowedCall {
 public:
  explicit FollowedCall(std::string_view operation) noexcept : follows_(Doing::followed) {
    if (!follows_) return;
    doing_.operation = operation;
    doing_.begin();
  }
  FollowedCall(const FollowedCall&) = delete;
  FollowedCall& operator=(const FollowedCall&) = delete;
  ~FollowedCall() {
    if (follows_) doing_.end();
  }

 private:
  const bool follows_;
  Doing doing_;
};

}  // namespace lagoon::atoll::detail
