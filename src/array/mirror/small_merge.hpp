// SmallMerge: a merge whose contributions travel with the marks, in the allgather that a merge
// begins with anyway, between the first ranks of the nodes alone. Every node combines all of them:
// a plan and messages in a row are saved. Contributions are packed, tile after tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "array/array_state.hpp"
#include "array/mirror/combine.hpp"
#include "array/mirror/merge_meeting.hpp"

namespace lagoon::atoll::detail {

class SmallMerge {
 public:
  /// Of a patch with step one. Functions of the program's own are not for small merges: what they
  /// throw could not be told to the other ranks.
  SmallMerge(ArrayState& array, const Patch& patch, const Combiner& combiner)
      : array_(array), patch_(patch), combiner_(combiner) {}

  /// No node contributes more bytes.
  static std::size_t most(int nodes) noexcept;

  /// Bytes of what my node contributes: its tiles that may hold something but zeros, as far as they
  /// lie in the patch. `Marks::not_here` when those are more than `most`.
  std::uint64_t bytes() const;
  std::byte* pack(std::byte* to) const;
  /// Combines the nodes' contributions, which it overwrites, into my node's copy.
  void join(const Marks& marks, std::vector<std::byte*> contributions) const;

 private:
  /// Calls `f(tile, part)` for the `chosen(tile)` of the patch, and what of them lies in it, until
  /// it returns false.
  template <class Chosen, class F>
  void for_each_tile(Chosen&& chosen, F&& f) const;
  /// Calls `f(part)` likewise for those that this node has written.
  template <class F>
  void for_each_nonzero(F&& f) const;
  std::size_t bytes_of(const Patch& box) const noexcept {
    return static_cast<std::size_t>(box.elements()) * array_.element_bytes;
  }

  ArrayState& array_;
  const Patch& patch_;
  const Combiner& combiner_;
};

}  // namespace lagoon::atoll::detail
