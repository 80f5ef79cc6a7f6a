// Stream: one side of a large transfer, chunk by chunk, a few of them under way at once. Chunks of
// contiguous memory go as they are, the others through staging, which is bounded: a stream without
// a buffer leaves its data where they are until its next turn.
#pragma once

#include <algorithm>

#include "transport/staging.hpp"

namespace lagoon::atoll::detail {

class Stream {
 public:
  /// The other side, and the buffers for what goes there or comes from there.
  struct Route {
    MPI_Comm communicator;
    int rank, tag;
    Staging& staging;
  };

  Stream() = default;
  /// Of the `runs` at `memory`, in chunks of so many bytes, which the other side has too. Without
  /// memory, because the array is gone, it sends empty chunks, or throws away what comes.
  Stream(bool sends, std::byte* memory, const Runs& runs, std::int64_t chunk, bool in_place)
      : sends_(sends),
        in_place_(in_place),
        memory_(memory),
        runs_(runs),
        chunk_(chunk),
        total_(runs.bytes()) {}

  /// Moves on, without waiting. True when something moved. `place(position, length, data)` puts
  /// received data where they belong.
  template <class Place>
  bool advance(const Route& route, Place&& place) {
    bool moved = false;
    for (; count_ > 0 && over(chunks_[head_]); moved = true) {
      const Chunk& chunk = chunks_[head_];
      if (chunk.staging != nullptr && !sends_ && !gone_)
        place(chunk.position, chunk.length, static_cast<const std::byte*>(chunk.staging));
      route.staging.give_back(chunk.staging, route.rank);
      if (chunk.wasted) route.staging.give_back_waste();
      head_ = (head_ + 1) % chunks_in_flight;
      --count_;
    }
    while (count_ < chunks_in_flight && next_ < total_ && begin(route)) moved = true;
    return moved;
  }
  bool advance(const Route& route) {
    return advance(route,
                   [this](std::int64_t position, std::int64_t length, const std::byte* data) {
                     unpack(runs_, memory_, position, length, data);
                   });
  }
  std::byte* memory() const noexcept { return memory_; }
  /// Chunks under way at once, at most.
  std::int32_t most_at_once() const noexcept {
    return static_cast<std::int32_t>(std::min<std::int64_t>(
        static_cast<std::int64_t>(chunks_in_flight), (total_ + chunk_ - 1) / chunk_));
  }
  std::size_t under_way() const noexcept { return count_; }
  /// Whether all chunks have been begun and none is under way.
  bool finished() const noexcept { return count_ == 0 && next_ == total_; }
  /// Whether the array is gone, here or, as far as is known, on the other side.
  bool gone() const noexcept { return gone_ || memory_ == nullptr; }

 private:
  struct Chunk {
    MPI_Request request = MPI_REQUEST_NULL;
    std::int64_t position = 0, length = 0;
    std::byte* staging = nullptr;
    bool wasted = false;  // it goes where nobody reads
  };
  bool over(Chunk& chunk);
  bool begin(const Route& route);

  bool sends_ = false, in_place_ = false, gone_ = false;
  std::byte* memory_ = nullptr;
  Runs runs_;
  std::int64_t chunk_ = 0, total_ = 0, next_ = 0;  // next: position behind the last one begun
  std::array<Chunk, chunks_in_flight> chunks_{};   // under way, in order from `head_`
  std::size_t head_ = 0, count_ = 0;
};

}  // namespace lagoon::atoll::detail
