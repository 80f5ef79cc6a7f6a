// Staging: a bounded pool of chunk buffers. What does not get one waits for its next turn.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "transport/wire.hpp"

namespace lagoon::atoll::detail {

class Staging {
 public:
  /// About `most` buffers, shared among `peers`: each may always have one, so that a peer that
  /// does not take part, and keeps those for it, stops nobody else.
  Staging(std::size_t most, std::size_t peers) : most_(most), held_(peers, 0) {}
  /// A buffer of `staged_chunk` bytes for data from or to the peer, or null when it must wait.
  std::byte* take(int peer) {
    if (in_use_ >= most_ && held(peer) > 0) return nullptr;
    if (free_.empty()) {
      all_.push_back(
          std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staged_chunk)));
      free_.reserve(all_.size());
      free_.push_back(all_.back().get());
    }
    std::byte* buffer = free_.back();
    free_.pop_back();
    ++in_use_;
    ++held(peer);
    return buffer;
  }
  void give_back(std::byte* buffer, int peer) {
    if (buffer == nullptr) return;
    free_.push_back(buffer);
    --in_use_;
    --held(peer);
  }

 private:
  std::int32_t& held(int peer) { return held_[static_cast<std::size_t>(peer)]; }

  std::size_t most_, in_use_ = 0;
  std::vector<std::int32_t> held_;  // by peer
  std::vector<std::unique_ptr<std::byte[]>> all_;
  std::vector<std::byte*> free_;
};

/// Whether a chunk with this tag is there to be received.
///
/// Staging is only taken for data that have arrived, and from another pool than staging for data
/// to send. So a receive never waits for anything with a buffer in hand, its buffer comes back
/// soon, every send finds its receive in the end, and no circle of full pools can form.
inline bool arrived(int source, int tag, MPI_Comm communicator) {
  int there = 0;
  check_mpi(MPI_Iprobe(source, tag, communicator, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return there != 0;
}

/// A chunk of a stream on its way. `staging` is null when it moves from or into place.
struct Chunk {
  MPI_Request request = MPI_REQUEST_NULL;
  std::int64_t position = 0;
  std::int64_t length = 0;
  std::byte* staging = nullptr;
};

/// The chunks of a stream under way, in order; `next` is the position behind the last one begun.
struct ChunkQueue {
  std::array<Chunk, chunks_in_flight> chunks{};
  std::size_t head = 0;
  std::size_t count = 0;
  std::int64_t next = 0;

  bool full() const noexcept { return count == chunks_in_flight; }
  /// Whether all `total` bytes of the stream have been begun and none is under way.
  bool finished(std::int64_t total) const noexcept { return count == 0 && next == total; }
  Chunk& front() noexcept { return chunks[head]; }
  Chunk& push() noexcept { return chunks[(head + count++) % chunks_in_flight]; }
  void pop() noexcept {
    head = (head + 1) % chunks_in_flight;
    --count;
  }
};

}  // namespace lagoon::atoll::detail
