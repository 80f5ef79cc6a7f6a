// io_uring: requests go into a ring that the kernel reads; a thread takes what has finished. What
// the kernel does not take at once goes back, for threads to move.
#include "disk/backend.hpp"

#if ATOLL_URING

#include <liburing.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr unsigned depth = 64;  // requests that the kernel has at once

class Ring {
 public:
  explicit Ring(ChunkFinished finished) : finished_(std::move(finished)) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    if (open_) io_uring_queue_exit(&ring_);
  }

  /// 0, or minus an errno.
  int open() {
    const int status = io_uring_queue_init(depth, &ring_, 0);
    open_ = status == 0;
    return status;
  }

  void start(Chunk& chunk) {
    ChunkQueue refused;
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push(chunk);
      refused = feed();
    }
    give_back(refused);
  }

  /// Has `reap` return; false if the kernel does not take even that.
  bool end() {
    const std::scoped_lock lock(mutex_);
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) return false;
    io_uring_prep_nop(entry);
    io_uring_sqe_set_data(entry, &last_);
    return submit() == 0;
  }

  void reap() {
    for (;;) {
      io_uring_cqe* const event = next_event();
      void* const data = io_uring_cqe_get_data(event);
      const int result = event->res;
      io_uring_cqe_seen(&ring_, event);
      if (data == &last_) return;
      if (data == &nothing_) continue;
      ChunkQueue refused;
      {
        const std::scoped_lock lock(mutex_);
        --in_kernel_;
        refused = feed();
      }
      give_back(refused);
      finished_(*static_cast<Chunk*>(data), result);
    }
  }

 private:
  void give_back(ChunkQueue& refused) {
    while (!refused.empty()) finished_(refused.pop(), -EAGAIN);
  }

  /// Gives the kernel what it has room for; those that it refuses. With the lock.
  ChunkQueue feed() {
    std::array<std::pair<io_uring_sqe*, Chunk*>, depth> entries;
    unsigned count = 0;
    while (!waiting_.empty() && in_kernel_ < depth) {
      io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
      if (entry == nullptr) break;
      Chunk& chunk = waiting_.pop();
      prepare(*entry, chunk);
      entries[count++] = {entry, &chunk};
      ++in_kernel_;
    }
    const unsigned left = std::min(submit(), count);
    ChunkQueue refused;
    for (unsigned i = count - left; i < count; ++i) {
      const auto [entry, chunk] = entries[i];
      refused.push(*chunk);
      // The entry stays in the ring.
      io_uring_prep_nop(entry);
      io_uring_sqe_set_data(entry, &nothing_);
      --in_kernel_;
    }
    // Nobody would come by for the others.
    while (in_kernel_ == 0 && !waiting_.empty()) refused.push(waiting_.pop());
    return refused;
  }

  static void prepare(io_uring_sqe& entry, Chunk& chunk) {
    const auto bytes = static_cast<unsigned>(chunk.next_bytes());
    const auto offset = static_cast<std::uint64_t>(chunk.offset);
    if (chunk.writes)
      io_uring_prep_write(&entry, chunk.descriptor(), chunk.memory, bytes, offset);
    else
      io_uring_prep_read(&entry, chunk.descriptor(), chunk.memory, bytes, offset);
    // Else the kernel would copy to or from the page cache while we submit.
    if (!chunk.direct) io_uring_sqe_set_flags(&entry, IOSQE_ASYNC);
    io_uring_sqe_set_data(&entry, &chunk);
  }

  /// How many entries are left in the ring that the kernel does not take: it takes a part at a
  /// time, and may be short of memory, or somebody has closed the ring's descriptor.
  unsigned submit() {
    while (io_uring_sq_ready(&ring_) > 0) {
      const int status = io_uring_submit(&ring_);
      if (status <= 0 && status != -EINTR) break;
    }
    return io_uring_sq_ready(&ring_);
  }

  /// Waits for one.
  io_uring_cqe* next_event() {
    io_uring_cqe* event = nullptr;
    for (;;) {
      const int status = io_uring_wait_cqe(&ring_, &event);
      if (status == 0) return event;
      // Where one can no longer wait for it, what the kernel has taken still ends, in memory.
      if (status != -EINTR) take_nap(waiting::device.longest);
    }
  }

  const ChunkFinished finished_;
  io_uring ring_{};
  bool open_ = false;
  char last_ = 0, nothing_ = 0;  // events by their addresses: of `end`, of entries without a chunk
  std::mutex mutex_;
  // Guarded by mutex_, as is the ring's end that takes requests.
  ChunkQueue waiting_;
  unsigned in_kernel_ = 0;
};

class UringBackend final : public Backend {
 public:
  explicit UringBackend(std::shared_ptr<Ring> ring)
      : ring_(std::move(ring)), reaper_([mine = ring_] { mine->reap(); }) {}
  ~UringBackend() override {
    if (ring_->end())
      reaper_.join();
    else
      reaper_.detach();  // asleep for ever, with a ring of its own
  }
  void start(Chunk& chunk) override { ring_->start(chunk); }

 private:
  const std::shared_ptr<Ring> ring_;
  std::thread reaper_;
};

}  // namespace

std::unique_ptr<Backend> make_uring_backend(ChunkFinished finished, std::string& why_not) {
  try {
    auto ring = std::make_shared<Ring>(std::move(finished));
    if (const int status = ring->open(); status != 0)
      throw std::system_error(-status, std::generic_category());
    return std::make_unique<UringBackend>(std::move(ring));
  } catch (const std::system_error& error) {
    why_not = "no io_uring: " + error.code().message();
    return nullptr;
  }
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
