// Helper: a thread that moves something on while its rank computes. The *agent* serves requests of
// other nodes. The *mover* moves the rank's own nonblocking operations on: MPI moves large
// messages, and Atoll the next chunk, only when somebody looks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "world/doorbell.hpp"

namespace lagoon::atoll::detail {

class Helper {
 public:
  /// Both are called by the thread, and throw nothing: `serve` moves on what can be, true when
  /// something moved; `needed` tells whether there is anything. `doorbell`: where to sleep between
  /// looks, or null.
  Helper(const WaitPolicy& policy, std::function<bool()> serve, std::function<bool()> needed,
         Doorbell* doorbell = nullptr);
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper();

  /// Starts the thread; throws what the system says where there can be none.
  void start();
  /// By any thread of the rank, when it may be needed. Starts the thread if it can: it is tried
  /// again at the next call, and the rank looks itself meanwhile.
  void wake() noexcept;
  /// Whether there is a thread.
  bool runs() const noexcept { return runs_.load(std::memory_order_acquire); }

 private:
  void run() noexcept;

  const WaitPolicy& policy_;
  std::function<bool()> serve_, needed_;
  Doorbell* doorbell_;
  std::atomic<bool> stopping_{false}, runs_{false};
  Bell bell_;
  std::mutex starting_;
  std::thread thread_;
};

}  // namespace lagoon::atoll::detail
