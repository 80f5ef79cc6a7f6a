// Doing: what the thread that calls Atoll is in the midst of, for those who ask it when the run is
// stuck (watchdog.hpp). Followed only with ATOLL_TIMEOUT.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

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
  }
  void end() const noexcept { current.store(outer, std::memory_order_release); }

  /// The innermost of this process; null outside of Atoll. Read by the thread itself, or by a
  /// signal's handler upon it.
  static inline std::atomic<const Doing*> current = nullptr;
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
