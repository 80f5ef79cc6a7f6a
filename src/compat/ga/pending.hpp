// Nonblocking operations on their way: numbers for Atoll's handles.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "atoll/handle.hpp"

namespace lagoon::atoll::ga {

/// By any threads. At most `most` at a time, as programs may expect: the oldest is completed when
/// one more begins.
class PendingOperations {
 public:
  static constexpr std::int64_t most = 256;

  /// A number, positive, that is not used again before 2^31 operations later. What is over already
  /// gets one too, and no place among those under way; what went wrong with it is thrown here.
  std::int64_t add(Handle handle);
  /// The number of an operation that is over.
  std::int64_t done() noexcept;
  /// Waits for it; one that is completed, or no number of ours, is done already.
  void wait(std::int64_t number);
  bool test(std::int64_t number);
  /// Whatever is on its way.
  void wait_all();

 private:
  struct Slot {
    std::int64_t number = 0;  // none
    std::shared_ptr<Handle> handle;
  };
  Slot& slot(std::int64_t number) { return slots_[static_cast<std::size_t>(number % most)]; }
  std::shared_ptr<Handle> find(std::int64_t number);
  void forget(std::int64_t number);

  std::atomic<std::int64_t> begun_{0};
  std::atomic<bool> any_{false};  // since all were waited for
  std::mutex mutex_;              // guards the slots; nobody waits under it
  std::array<Slot, most> slots_;
};

}  // namespace lagoon::atoll::ga
