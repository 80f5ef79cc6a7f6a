// Arena: sub-allocation of the node's shared region. Any rank of the node may allocate and free;
// the state lives in the region itself, behind one lock. Blocks carry boundary tags, free ones hang
// in a tree by size. Large freed blocks give their pages back to the system, outside of the lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "world/shared_memory.hpp"

namespace lagoon::atoll::detail {

/// A lock between processes: test and set. Held for a few hundred instructions only.
class SharedLock {
 public:
  void lock() noexcept {
    if (word_.exchange(1, std::memory_order_acquire) != 0) wait();
  }
  void unlock() noexcept { word_.store(0, std::memory_order_release); }

 private:
  void wait() noexcept;
  std::atomic<std::uint32_t> word_;
};

class Arena {
 public:
  static constexpr std::uint64_t none = 0;
  static constexpr std::uint64_t alignment = 64;

  /// `reserved` bytes at the region's start are the owner's; the state follows them.
  /// The node's leader calls `format` once, before anybody else touches the arena.
  Arena(const SharedMemory& memory, std::uint64_t reserved);
  void format() noexcept;

  /// Offset of a block of at least `bytes`, aligned to 64; `none` when there is no room, also none
  /// on its way back.
  std::uint64_t allocate(std::uint64_t bytes) noexcept;
  void free(std::uint64_t offset) noexcept;
  std::uint64_t free_bytes() const noexcept;
  std::uint64_t capacity() const noexcept;
  /// Whether the block's memory was never handed out before (so it reads as zero).
  /// Meaningful only right after `allocate`, for the block it returned.
  bool last_was_fresh(std::uint64_t offset) const noexcept;

  const SharedMemory& memory() const noexcept { return memory_; }
  std::byte* at(std::uint64_t offset) const noexcept { return memory_.base() + offset; }

 private:
  struct State;
  struct Block;
  struct Key;
  Block& block(std::uint64_t offset) const noexcept;
  Key key(std::uint64_t offset) const noexcept;
  // Of the tree of free blocks; by whoever holds the lock.
  void link(std::uint64_t offset) noexcept;
  void unlink(std::uint64_t offset) noexcept;
  std::uint64_t smallest_of(std::uint64_t bytes) const noexcept;
  std::uint64_t largest_below(const Key& limit) const noexcept;
  // Likewise.
  std::uint64_t take(std::uint64_t need) noexcept;
  void put_back(std::uint64_t offset) noexcept;
  void trim() noexcept;
  void release_pages(std::uint64_t offset) const noexcept;

  const SharedMemory& memory_;
  State& state_;
};

}  // namespace lagoon::atoll::detail
