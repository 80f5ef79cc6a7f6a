// The meeting that a merge begins with: the ranks of a node agree on the call in shared memory; the
// first rank of each node then tells the others, in one exchange, what its node agreed on and its
// marks, and releases its node. From there every rank knows all marks and goes its own way. Of a
// small merge the contributions come with the marks, and the meeting is all there is.
#pragma once

#include <cstdint>
#include <string_view>

#include "array/array_state.hpp"
#include "array/mirror/merge_plan.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

class SmallMerge;

/// What all nodes said of their marks; in the node's shared memory until its next meeting.
class Marks {
 public:
  enum Kind : std::uint8_t { nonzero, written, zeroed };
  explicit Marks(const Mirror& mirror)
      : all_(mirror.exchanged().data()),
        length_(mirror.message_words()),
        words_(static_cast<std::size_t>(mirror.words())),
        nodes_(mirror.nodes->nodes()) {}

  /// Of 64 tiles.
  std::uint64_t word(int node, Kind kind, std::int64_t number) const noexcept {
    return words_of(
        node)[Mirror::agreement_words + kind * words_ + static_cast<std::size_t>(number)];
  }
  bool test(int node, Kind kind, std::int64_t tile) const noexcept {
    return (word(node, kind, tile / 64) >> (tile % 64) & 1) != 0;
  }
  /// The nodes that have the mark.
  void nodes_with(Kind kind, std::int64_t tile, NodeSet& set) const;
  /// Whether `set` is the nodes that have the mark, of all tiles [first, last), which lie in one
  /// word: 64 tiles at a time, since all tiles and nodes are looked at on every rank.
  bool same(Kind kind, std::int64_t first, std::int64_t last, const NodeSet& set) const noexcept;
  /// The tiles of a word that have the mark of some node, a bit each.
  std::uint64_t of_any(Kind kind, std::int64_t word) const noexcept;
  bool any(Kind kind, std::int64_t tile) const noexcept {
    return (of_any(kind, tile / 64) >> (tile % 64) & 1) != 0;
  }
  int nodes() const noexcept { return nodes_; }
  /// What a node says of the length of its contribution when that did not come with its marks.
  static constexpr std::uint64_t not_here = ~std::uint64_t{0};
  /// Whether every node's contribution came with its marks: then the copies are merged.
  bool merged() const noexcept;
  /// Whether all nodes agreed within, and on the call with this hash.
  bool agreed(std::uint64_t hash) const noexcept;

 private:
  const std::uint64_t* words_of(int node) const noexcept {
    return all_ + static_cast<std::size_t>(node) * length_;
  }

  const std::uint64_t* all_;
  std::size_t length_, words_;
  int nodes_;
};

/// Brings the ranks of all copies together and exchanges marks: `kinds` of them, from the first.
/// Throws on all ranks alike: the failed check of the lowest rank, or Error(mismatch). Not for
/// arrays of a single node. With `small`, contributions go along where they are short enough.
Marks meet(ArrayState& array, std::string_view operation, std::uint64_t arguments, int kinds,
           const Failure& failure, const SmallMerge* small = nullptr);

/// Joins the meeting that the other ranks' merge begins with, on a rank that did not get so far:
/// throws on all what failed here. Not for arrays of a single node.
[[noreturn]] void refuse_merge(ArrayState& array, const Error& failure);

}  // namespace lagoon::atoll::detail
