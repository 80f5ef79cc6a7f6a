// Worker: the thread of a process that moves tiles while the program computes. Jobs are done one
// after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lagoon::atoll::detail {

class Worker {
 public:
  /// The process's own; its thread starts with the first job.
  static Worker& get();
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();
  /// `job` throws nothing.
  void add(std::function<void()> job);

 private:
  void run();

  std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable work_;
  std::deque<std::function<void()>> jobs_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace lagoon::atoll::detail
