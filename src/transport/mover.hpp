// Mover: a thread that moves a rank's own nonblocking operations on while the rank computes. MPI
// moves large messages, and Atoll the next chunk, only when somebody looks. It starts with the
// first such operation, looks every few ten microseconds while there are any, and sleeps
// otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace lagoon::atoll::detail {

class Mover {
 public:
  /// `look` moves operations on and tells whether something moved; `needed` tells whether there are
  /// any. Both are called by the thread.
  Mover(std::function<bool()> look, std::function<bool()> needed);
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  ~Mover();

  /// By the rank, after it began an operation.
  void wake();

 private:
  void run();

  std::function<bool()> look_, needed_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> asleep_{false};
  std::atomic<std::uint32_t> signal_{0};
  std::thread thread_;
};

}  // namespace lagoon::atoll::detail
