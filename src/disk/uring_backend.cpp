// io_uring: requests go into a ring that the kernel reads; a thread takes what has finished.
#include "disk/backend.hpp"

#if ATOLL_URING

#include <liburing.h>

#include <cerrno>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr unsigned depth = 64;  // requests that the kernel has at once

class UringBackend final : public Backend {
 public:
  explicit UringBackend(ChunkFinished finished) : finished_(std::move(finished)) {}
  /// 0, or minus an errno.
  int open() {
    const int status = io_uring_queue_init(depth, &ring_, 0);
    if (status == 0) reaper_ = std::thread([this] { reap(); });
    return status;
  }
  ~UringBackend() override {
    if (!reaper_.joinable()) return;
    {
      const std::scoped_lock lock(mutex_);
      io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
      io_uring_prep_nop(entry);
      io_uring_sqe_set_data(entry, nullptr);  // the end
      submit();
    }
    reaper_.join();
    io_uring_queue_exit(&ring_);
  }

  void start(Chunk& chunk) override {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(&chunk);
    feed();
  }

 private:
  /// Gives the kernel what it has room for. With the lock.
  void feed() {
    bool any = false;
    for (; !waiting_.empty() && in_kernel_ < depth; ++in_kernel_, any = true) {
      Chunk& chunk = *waiting_.front();
      io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
      if (entry == nullptr) break;
      waiting_.pop_front();
      const auto bytes = static_cast<unsigned>(chunk.next_bytes());
      const auto offset = static_cast<std::uint64_t>(chunk.offset);
      if (chunk.writes)
        io_uring_prep_write(entry, chunk.descriptor(), chunk.memory, bytes, offset);
      else
        io_uring_prep_read(entry, chunk.descriptor(), chunk.memory, bytes, offset);
      // Else the kernel would copy to or from the page cache while we submit.
      if (!chunk.direct) io_uring_sqe_set_flags(entry, IOSQE_ASYNC);
      io_uring_sqe_set_data(entry, &chunk);
    }
    if (any) submit();
  }

  /// The kernel may be short of memory for a moment, or take a part; entries stay in the ring until
  /// it takes them.
  void submit() {
    wait_until(waiting::in_call,
               [&] { return io_uring_submit(&ring_) >= 0 && io_uring_sq_ready(&ring_) == 0; });
  }

  void reap() {
    for (;;) {
      io_uring_cqe* event = nullptr;
      if (io_uring_wait_cqe(&ring_, &event) < 0) continue;  // a signal
      auto* const chunk = static_cast<Chunk*>(io_uring_cqe_get_data(event));
      const int result = event->res;
      io_uring_cqe_seen(&ring_, event);
      if (chunk == nullptr) return;
      {
        const std::scoped_lock lock(mutex_);
        --in_kernel_;
        feed();
      }
      finished_(*chunk, result);
    }
  }

  const ChunkFinished finished_;
  io_uring ring_{};
  std::thread reaper_;
  std::mutex mutex_;
  // Guarded by mutex_, as is the ring's end that takes requests.
  std::deque<Chunk*> waiting_;
  unsigned in_kernel_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_uring_backend(ChunkFinished finished, std::string& why_not) {
  auto backend = std::make_unique<UringBackend>(std::move(finished));
  const int status = backend->open();
  if (status == 0) return backend;
  why_not = "no io_uring: " + std::generic_category().message(-status);
  return nullptr;
}

}  // namespace lagoon::atoll::detail

#else

namespace lagoon::atoll::detail {

std::unique_ptr<Backend> make_uring_backend(ChunkFinished, std::string& why_not) {
  why_not = "built without liburing";
  return nullptr;
}

}  // namespace lagoon::atoll::detail

#endif
