// OneThread: what one thread of a process does at a time, and may begin again inside.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace lagoon::atoll::detail {

class OneThread {
 public:
  /// False, at once, while another thread is inside.
  bool try_enter() noexcept {
    const auto me = static_cast<std::uintptr_t>(pthread_self());
    if (inside_.load(std::memory_order_relaxed) != me) {
      std::uintptr_t nobody = 0;
      if (!inside_.compare_exchange_strong(nobody, me, std::memory_order_acquire,
                                           std::memory_order_relaxed))
        return false;
    }
    ++depth_;
    return true;
  }
  void leave() noexcept {
    if (--depth_ == 0) inside_.store(0, std::memory_order_release);
  }
  /// Whether this thread is inside.
  bool mine() const noexcept {
    return inside_.load(std::memory_order_relaxed) == static_cast<std::uintptr_t>(pthread_self());
  }

  /// An attempt, and the way out.
  class Entry {
   public:
    explicit Entry(OneThread& of) noexcept : of_(of), in_(of.try_enter()) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      if (in_) of_.leave();
    }
    explicit operator bool() const noexcept { return in_; }

   private:
    OneThread& of_;
    const bool in_;
  };

 private:
  std::atomic<std::uintptr_t> inside_{0};
  int depth_ = 0;  // of the thread inside
};

}  // namespace lagoon::atoll::detail
