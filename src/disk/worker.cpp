// A queue and a thread.
#include "disk/worker.hpp"

#include <thread>
#include <utility>

namespace lagoon::atoll::detail {

Worker& Worker::get() {
  static Worker& worker = *new Worker;
  return worker;
}

void Worker::add(std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    if (!started_) std::thread([this] { run(); }).detach();
    started_ = true;
    jobs_.push_back(std::move(job));
  }
  work_.notify_one();
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return !jobs_.empty(); });
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace lagoon::atoll::detail
