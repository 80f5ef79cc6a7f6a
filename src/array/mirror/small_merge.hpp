// SmallMerge: a merge whose contributions travel with the marks, in the exchange that a merge
// begins with anyway, between the first ranks of the nodes alone. Messages in a row, a plan and
// receipts are saved. Short contributions are packed, tile after tile. What a node has written all
// over, and holds in one piece of memory, goes as it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "array/array_state.hpp"
#include "array/mirror/combine.hpp"
#include "array/mirror/merge_meeting.hpp"
#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

class SmallMerge {
 public:
  /// Of a patch with step one. Functions of the program's own are not for small merges: what they
  /// throw could not be told to the other ranks.
  SmallMerge(ArrayState& array, const Patch& patch, const Combiner& combiner)
      : array_(array), patch_(patch), combiner_(combiner) {}

  static bool power_of_two(int nodes) noexcept;
  /// So few that each sends messages to all others.
  static bool few(int nodes) noexcept { return nodes < 8; }
  /// No packed contribution, and none that goes as it is, has more bytes.
  static std::size_t most_packed(int nodes) noexcept;
  static std::size_t most_in_one_piece(int nodes) noexcept;

  /// Bytes of what a node with these marks contributes: its tiles that may hold something but
  /// zeros, as far as they lie in the patch. Not added up further when above `most`.
  std::size_t packed_bytes(std::size_t most) const;
  std::byte* pack(std::byte* to) const;
  /// The patch in memory, if that is one piece, neither too short nor too long, and written all
  /// over. Else empty.
  std::span<std::byte> piece() const;

  /// What nodes [first, last) contribute together, packed: the tiles that one of them contributes.
  struct Part {
    int first, last;
    std::byte* data;
  };
  /// Combines parts, which it overwrites, in the order of their nodes. Where the result ends. When
  /// they are of `all` nodes, the result is written to my node's copy as well.
  std::byte* join(const Marks& marks, std::vector<Part> parts, std::byte* to, bool all) const;
  /// `into`, the contribution of lower nodes or else of higher ones, combined with the others'.
  void fold(std::span<std::byte> into, const std::byte* with, bool into_is_lower) const;
  /// The same with contributions of `nodes` nodes, overwritten: those of node i at `of(i)`, one of
  /// which is `into`.
  template <class Of>
  void fold_all(std::span<std::byte> into, int nodes, const Of& of) const;
  std::size_t element_bytes() const noexcept { return array_.element_bytes; }
  /// After the merge.
  void finish(const Marks& marks) const;

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

template <class Of>
void SmallMerge::fold_all(std::span<std::byte> into, int nodes, const Of& of) const {
  const auto elements = static_cast<std::int64_t>(into.size() / array_.element_bytes);
  const std::byte* const sum = fold_contributions(
      0, nodes, combiner_, of,
      [&](std::byte* one, const std::byte* with) {
        combiner_.fold(one, with, elements);
        return one;
      },
      [] { return static_cast<std::byte*>(nullptr); });
  if (sum != into.data()) copy_bytes(into.data(), {sum, into.size()});
}

}  // namespace lagoon::atoll::detail
