// Threads that read and write.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "disk/backend.hpp"

namespace lagoon::atoll::detail {

namespace {

// They wait for the device, not for cores.
constexpr std::size_t most_threads = 4;

class ThreadBackend final : public Backend {
 public:
  explicit ThreadBackend(ChunkFinished finished) : finished_(std::move(finished)) {}
  ~ThreadBackend() override {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void start(Chunk& chunk) override {
    {
      const std::scoped_lock lock(mutex_);
      if (idle_ <= queue_.size() && threads_.size() < most_threads) add_thread();
      if (!threads_.empty()) {
        queue_.push(chunk);
        work_.notify_one();
        return;
      }
    }
    // Nobody else would ever come by.
    finished_(chunk, move(chunk));
  }

 private:
  /// With the lock. Without one more the others do, or whoever starts a chunk.
  void add_thread() noexcept {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::exception&) {
      // The system has no thread left, or no memory.
    }
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      work_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      --idle_;
      if (queue_.empty()) return;
      Chunk& chunk = queue_.pop();
      lock.unlock();
      finished_(chunk, move(chunk));
      lock.lock();
    }
  }

  static ssize_t move(const Chunk& chunk) {
    const int descriptor = chunk.descriptor();
    const ssize_t moved = chunk.writes
                              ? ::pwrite(descriptor, chunk.memory, chunk.next_bytes(), chunk.offset)
                              : ::pread(descriptor, chunk.memory, chunk.next_bytes(), chunk.offset);
    return moved < 0 ? -errno : moved;
  }

  const ChunkFinished finished_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable work_;
  ChunkQueue queue_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace

std::unique_ptr<Backend> make_thread_backend(ChunkFinished finished) {
  return std::make_unique<ThreadBackend>(std::move(finished));
}

}  // namespace lagoon::atoll::detail
