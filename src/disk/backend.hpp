// Backend: moves chunks between memory and files while the program goes on. Two kinds: io_uring,
// and threads that call pread and pwrite, for containers and kernels that have no io_uring.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace lagoon::atoll::detail {

class OpenFile;
class Transfer;

/// What is still to be moved of a part of a transfer.
struct Chunk {
  std::shared_ptr<Transfer> transfer;  ///< keeps it until the chunk is done
  OpenFile* file;
  bool writes;
  bool direct;  ///< past the page cache
  std::int64_t offset;
  std::byte* memory;
  std::size_t left;
  std::size_t most = SIZE_MAX;  ///< bytes of the next call
  bool by_threads = false;      ///< io_uring has refused it
  Chunk* next = nullptr;        ///< in a queue

  std::size_t next_bytes() const noexcept;
  int descriptor() const;
};

/// Chunks in a row. It needs no memory: a chunk that is to be moved is never lost halfway.
class ChunkQueue {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return size_; }
  void push(Chunk& chunk) noexcept {
    chunk.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &chunk;
    last_ = &chunk;
    ++size_;
  }
  /// The first one. REQUIRES: not empty.
  Chunk& pop() noexcept {
    Chunk& chunk = *first_;
    first_ = chunk.next;
    --size_;
    return chunk;
  }

 private:
  Chunk *first_ = nullptr, *last_ = nullptr;
  std::size_t size_ = 0;
};

/// Called by any thread, with the bytes moved or minus an errno: EAGAIN if the backend could not
/// begin. The chunk may be started again.
using ChunkFinished = std::function<void(Chunk& chunk, ssize_t result)>;

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  /// No chunk is under way.
  virtual ~Backend() = default;
  /// Begins one call for the chunk, which stays where it is until it has finished.
  virtual void start(Chunk& chunk) = 0;
};

std::unique_ptr<Backend> make_thread_backend(ChunkFinished finished);
/// Null where the system, or the build, has none; `why_not` says why.
std::unique_ptr<Backend> make_uring_backend(ChunkFinished finished, std::string& why_not);

}  // namespace lagoon::atoll::detail
