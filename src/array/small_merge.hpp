// SmallMerge: a merge whose contributions travel with the marks, in the exchange that a merge
// begins with anyway. The first rank of each node then has all that it needs to combine the copies:
// two messages in a row and a plan are saved. Every node receives all contributions, so this is for
// arrays, or written parts of them, whose time is latency rather than bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "array/array_state.hpp"
#include "array/combine.hpp"
#include "array/merge_meeting.hpp"

namespace lagoon::atoll::detail {

class SmallMerge {
 public:
  /// Of a patch with step one. Functions of the program's own are not for small merges: what they
  /// throw could not be told to the other ranks.
  SmallMerge(ArrayState& array, const Patch& patch, const Combiner& combiner)
      : array_(array), patch_(patch), combiner_(combiner) {}

  /// No contribution has more bytes.
  static std::size_t most_bytes(int nodes) noexcept;
  /// Bytes of what a node with these marks contributes: its tiles that may hold something but
  /// zeros, as far as they lie in the patch. Not added up further when above `most`.
  std::size_t contribution_bytes(std::size_t most) const;
  /// Packs my node's contribution: tile after tile, each in row-major order.
  void pack(std::byte* to) const;
  /// Combines contributions, which it overwrites, in the order of the nodes into my node's copy.
  void combine(const Marks& marks, std::vector<std::byte*> contributions) const;

 private:
  /// Calls `f(tile)` for the tiles of the patch until it returns false.
  template <class F>
  void for_each_tile(F&& f) const;
  /// The part of the tile in the patch.
  Patch box(std::int64_t tile) const;
  std::size_t bytes_of(const Patch& box) const noexcept {
    return static_cast<std::size_t>(box.elements()) * array_.element_bytes;
  }

  ArrayState& array_;
  const Patch& patch_;
  const Combiner& combiner_;
};

}  // namespace lagoon::atoll::detail
