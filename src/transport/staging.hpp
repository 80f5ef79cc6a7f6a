// Staging: a bounded pool of chunk buffers. What does not get one waits for its next turn.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "transport/wire.hpp"

namespace lagoon::atoll::detail {

class Staging {
 public:
  /// About `most` buffers, shared among the other sides of streams: each may always have one, so
  /// that a rank that does not take part, and keeps those for it, stops nobody else.
  Staging(std::size_t most, MPI_Comm communicator) : most_(most) {
    int ranks = 0;
    MPI_Comm_size(communicator, &ranks);
    held_.resize(static_cast<std::size_t>(ranks));
  }
  /// A buffer of `staged_chunk` bytes for data from or to the rank, or null when it must wait.
  std::byte* take(int rank) {
    if (in_use_ >= most_ && held(rank) > 0) return nullptr;
    if (free_.empty()) {
      all_.push_back(
          std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staged_chunk)));
      free_.reserve(all_.size());
      free_.push_back(all_.back().get());
    }
    std::byte* buffer = free_.back();
    free_.pop_back();
    ++in_use_;
    ++held(rank);
    return buffer;
  }
  void give_back(std::byte* buffer, int rank) {
    if (buffer == nullptr) return;
    free_.push_back(buffer);
    --in_use_;
    --held(rank);
  }

 private:
  std::int32_t& held(int rank) { return held_[static_cast<std::size_t>(rank)]; }

  std::size_t most_, in_use_ = 0;
  std::vector<std::int32_t> held_;  // by rank
  std::vector<std::unique_ptr<std::byte[]>> all_;
  std::vector<std::byte*> free_;
};

}  // namespace lagoon::atoll::detail
