// Mirror: what makes an array mirrored. The array itself is an ordinary one over the ranks of my
// node; its mirror knows the nodes that have copies, and keeps marks, one bit a tile and kind, of
// what the node's ranks did with the copy:
//
//   nonzero   something may be there that is not zero
//   written   changed since the copies were last merged, published or copied to from one source
//   zeroed    all of the tile was zeroed since then, and `written` starts again from there
//
// Marks lie in the node's shared memory behind the block of its first rank, and are set by whoever
// writes. Memory written through pointers sets none: from the first time that a block is handed out
// (`expose`) its tiles have fingerprints, which are compared when the marks are needed (`detect`).
// On one node there is nothing to merge, and there are no marks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "array/distribution/tiling.hpp"
#include "atoll/group.hpp"
#include "world/node_group.hpp"

namespace lagoon::atoll::detail {

class ArrayState;

/// One bit a tile; any rank of the node sets and clears.
class TileBits {
 public:
  TileBits() = default;
  explicit TileBits(std::atomic<std::uint64_t>* words) : words_(words) {}
  bool test(std::int64_t tile) const noexcept {
    return (words_[tile / 64].load(std::memory_order_relaxed) >> (tile % 64) & 1) != 0;
  }
  void set(std::int64_t first, std::int64_t last) noexcept;
  void clear(std::int64_t tile) noexcept {
    if (!test(tile)) return;  // a look costs less than an atomic operation
    words_[tile / 64].fetch_and(~(std::uint64_t{1} << (tile % 64)), std::memory_order_relaxed);
  }
  std::uint64_t word(std::int64_t i) const noexcept {
    return words_[i].load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t>* words_ = nullptr;
};

class Mirror {
 public:
  Mirror(const Group& whole, std::shared_ptr<NodeGroup> node_group, const Index& shape,
         std::size_t element_bytes);

  const Group whole;
  const std::shared_ptr<NodeGroup> nodes;
  const Tiling tiling;

  /// Shared memory for the marks: zero is how they start on zeros.
  std::uint64_t bytes() const noexcept;
  /// `unknown`: the array was not zeroed. By all ranks of the node; the first one prepares.
  void attach(std::byte* memory, bool unknown);
  bool has_marks() const noexcept { return shared_ != nullptr; }
  std::int64_t words() const noexcept { return (tiling.tiles() + 63) / 64; }

  // Marks. Patches may have steps.
  void written(const Patch& patch) noexcept;
  /// The patch holds zeros now. Called by one rank, while no other writes.
  void zeroed(const Patch& patch) noexcept;
  /// The copies of all nodes hold the same there now. Likewise; after `detect` where exposed.
  void alike(const ArrayState& array, const Patch& patch);
  /// The same for the whole array, said by the program.
  void forget() noexcept;
  /// While true, `written` does nothing: for writes that are marked otherwise.
  bool quiet = false;

  /// Before pointers to the block of the node's member `local` are handed out.
  void expose(const ArrayState& array, int local);
  bool exposed() const noexcept;
  /// Marks what pointers have changed; the node's ranks do a share each. No rank writes meanwhile.
  void detect(const ArrayState& array);
  /// Takes new fingerprints where the tiles have some, after a merge has written there.
  void renew(const ArrayState& array, std::int64_t first, std::int64_t last);

  TileBits nonzero, set_since, zeroed_since;

  /// Where the node's first rank lays out what the nodes said to each other.
  std::span<std::uint64_t> exchanged() const noexcept;
  /// Words that a node says at most: its state of agreement, how long its contribution is, and its
  /// marks.
  std::size_t message_words() const noexcept {
    return agreement_words + 3 * static_cast<std::size_t>(words());
  }
  static constexpr std::size_t agreement_words = 3;

  // Merges: each rank of the node has a part in each and says when it is done.
  void begin_merge() noexcept { ++merges_; }
  void finish_part() noexcept;
  /// Whether all ranks of the node have done their parts of the merges begun so far.
  bool settled() const noexcept;

 private:
  struct Shared;
  template <class F>
  void for_each_tile(const Patch& patch, F&& f) const;

  std::size_t members_;  // on my node
  std::uint64_t merges_ = 0;
  Shared* shared_ = nullptr;
  std::atomic<std::uint8_t>* exposed_blocks_ = nullptr;
  std::uint64_t* exchanged_ = nullptr;
  std::atomic<std::uint64_t>* prints_ = nullptr;  // 0: none; 1: being taken
};

}  // namespace lagoon::atoll::detail
