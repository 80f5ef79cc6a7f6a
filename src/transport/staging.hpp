// Staging: a bounded pool of chunk buffers. What does not get one waits for its next turn; one is
// there from the start, so that its turn comes whatever the memory of the process.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "mpi/face.hpp"
#include "transport/wire.hpp"
#include "world/spare.hpp"

namespace lagoon::atoll::detail {

class Staging {
 public:
  /// About `most` buffers, shared among the other sides of streams: each may always have one, as
  /// far as there is memory, so that a rank that does not take part, and keeps those for it, stops
  /// nobody else.
  Staging(std::size_t most, mpi::Comm communicator) : most_(most) {
    int ranks = 0;
    mpi::comm_size(communicator, &ranks);
    held_.resize(static_cast<std::size_t>(ranks));
    all_.reserve(most);
    free_.reserve(most);
    keep(new std::byte[static_cast<std::size_t>(staged_chunk)]);
    waste_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(direct_chunk));
  }
  /// A buffer of `staged_chunk` bytes for data from or to the rank, or null when it must wait.
  std::byte* take(int rank) noexcept {
    if (in_use_ >= most_ && held(rank) > 0) return nullptr;
    if (free_.empty() && !add()) return nullptr;
    std::byte* buffer = free_.back();
    free_.pop_back();
    ++in_use_;
    ++held(rank);
    return buffer;
  }
  void give_back(std::byte* buffer, int rank) noexcept {
    if (buffer == nullptr) return;
    free_.push_back(buffer);  // there is place for all
    --in_use_;
    --held(rank);
  }
  /// `direct_chunk` bytes that nobody reads, for what is thrown away, or null when they are in use.
  std::byte* take_waste() noexcept {
    return std::exchange(waste_in_use_, true) ? nullptr : waste_.get();
  }
  void give_back_waste() noexcept { waste_in_use_ = false; }

 private:
  std::int32_t& held(int rank) { return held_[static_cast<std::size_t>(rank)]; }
  bool add() noexcept {
    if (!has_place_for_one(all_)) return false;
    if (free_.capacity() < all_.capacity()) {
      try {
        free_.reserve(all_.capacity());
      } catch (const std::bad_alloc&) {
        return false;
      }
    }
    auto* const buffer = new (std::nothrow) std::byte[static_cast<std::size_t>(staged_chunk)];
    if (buffer == nullptr) return false;
    keep(buffer);
    return true;
  }
  /// REQUIRES: place for it.
  void keep(std::byte* buffer) {
    all_.emplace_back(buffer);
    free_.push_back(buffer);
  }

  std::size_t most_, in_use_ = 0;
  std::vector<std::int32_t> held_;  // by rank
  std::vector<std::unique_ptr<std::byte[]>> all_;
  std::vector<std::byte*> free_;
  std::unique_ptr<std::byte[]> waste_;
  bool waste_in_use_ = false;
};

}  // namespace lagoon::atoll::detail
