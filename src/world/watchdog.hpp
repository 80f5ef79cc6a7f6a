// Watchdog: with ATOLL_TIMEOUT=SECONDS a run that is stuck says where, and ends.
//
// A rank is stuck when it has waited inside one call for so long and nothing has moved: neither its
// own operations nor requests of others that it serves. Counted are the seconds in which the
// process could run, so that a machine that stands still costs one. Each rank has a thread that
// counts. The first that is stuck tells the others, of its node by a word in shared memory, of
// other nodes by a message where MPI allows threads. Then every rank's thread asks the rank where
// it stands, and writes that in one piece; those that compute say so as well. After a moment in
// which all can speak, the run ends.
#pragma once

#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace lagoon::atoll::detail {

class WorldState;

class Watchdog {
 public:
  /// Collective over the world's ranks, by the thread that calls Atoll. Throws what MPI says.
  Watchdog(WorldState& world, int limit_seconds);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Collective, before MPI ends.
  ~Watchdog();

  /// This rank is about to sleep in a wait in which nothing has moved since `since`.
  void asleep(std::chrono::steady_clock::time_point since) noexcept;

  /// What a run ends with that is stuck: as timeout(1).
  static constexpr int exit_status = 124;

 private:
  void watch();
  void watch_until_stuck(std::unique_lock<std::mutex>& lock);
  bool told() noexcept;
  void tell_others() noexcept;
  void say_where() noexcept;

  // Constant.
  WorldState& world_;
  const int limit_;
  const pthread_t starter_ = pthread_self();
  std::atomic<std::uint32_t>& alarm_;  // the node's
  MPI_Comm others_ = MPI_COMM_NULL;    // null: nobody on other nodes can be told

  // Of the rank that waits.
  std::chrono::steady_clock::time_point waiting_since_{};
  std::uint64_t counted_at_begin_ = 0;

  // Between both threads.
  std::atomic<std::uint64_t> seconds_{0};
  std::atomic<bool> stuck_{false};
  std::atomic<pthread_t> sleeper_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ends_ = false;  // by mutex_

  std::thread thread_;  // last: begins when all else is there
};

}  // namespace lagoon::atoll::detail
