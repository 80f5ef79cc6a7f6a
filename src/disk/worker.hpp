// Worker: the thread of a process that moves tiles while the program computes. Jobs are done one
// after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace lagoon::atoll::detail {

class Worker {
 public:
  /// The process's own; its thread starts with the first job. It is never destroyed: a job may be
  /// under way, and wait for the rank's thread, when that calls `exit`.
  static Worker& get();
  /// `job` throws nothing. std::system_error if there can be no thread.
  void add(std::function<void()> job);

 private:
  Worker() = default;
  [[noreturn]] void run();

  std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable work_;
  std::deque<std::function<void()>> jobs_;
  bool started_ = false;
};

}  // namespace lagoon::atoll::detail
