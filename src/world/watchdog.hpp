// Watchdog: with ATOLL_TIMEOUT=SECONDS a run that is stuck says where, and ends.
//
// A rank is stuck when it has waited inside one call for so long and nothing has moved: neither its
// own operations nor requests of others that it serves. Counted are the seconds in which the
// process could run, so that a machine that stands still costs one. Each rank has a thread that
// counts. The first that is stuck tells the others, of its node by a word in shared memory, of
// other nodes by a message where MPI allows threads. Then every rank's thread asks the rank where
// it stands, and writes that in one piece; those that compute say so as well. After a moment in
// which all can speak, the run ends: by MPI_Abort, which is called from this thread also where MPI
// does not allow that, or by an alarm where MPI or the writing does not come back.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "mpi/handles.hpp"
#include "world/long_ago.hpp"
#include "world/process.hpp"

namespace lagoon::atoll::detail {

class WorldState;

class Watchdog {
 public:
  /// Collective over the world's ranks, by the thread that calls Atoll. Throws what MPI says.
  Watchdog(WorldState& world, int limit_seconds);
  /// Begins to watch. Error(state), perhaps on this rank alone, where no thread can be started.
  void start();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Collective, before MPI ends.
  ~Watchdog();

  /// This rank is about to sleep in a wait in which nothing has moved since `since`.
  void asleep(std::chrono::steady_clock::time_point since) noexcept;
  /// Something has moved on this rank, in whatever thread and wait.
  void moved() noexcept { moved_.store(true, std::memory_order_relaxed); }

  /// What a run ends with that is stuck: as timeout(1).
  static constexpr int exit_status = 124;

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  void watch_until_stuck(std::unique_lock<std::mutex>& lock);
  bool told() noexcept;
  void tell_others() noexcept;
  void say_where() noexcept;

  // Constant.
  WorldState& world_;
  const int limit_;
  const pid_t starter_ = this_thread();
  std::atomic<std::uint32_t>& alarm_;  // the node's
  mpi::Comm others_ = mpi::comm_null;  // null: nobody on other nodes can be told

  LongAgo long_ago_;  // of the thread that counts

  // Between that and those that wait.
  std::atomic<Clock::rep> stuck_since_;  // who has waited since then, or before, is stuck
  std::atomic<bool> moved_{false};
  std::atomic<bool> stuck_{false};
  std::atomic<pid_t> sleeper_{0};            // if it is
  std::atomic<Clock::rep> sleeps_since_{0};  // likewise
  std::mutex mutex_;
  std::condition_variable end_;
  bool ends_ = false;  // by mutex_

  std::thread thread_;
};

}  // namespace lagoon::atoll::detail
