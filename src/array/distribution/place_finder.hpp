// PlaceFinder: where positions lie, one after another. It keeps the last few blocks that it found,
// so that positions in them cost a few comparisons and products each; where hardly any are, as at
// random over many owners, it looks no more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atoll/distribution.hpp"

namespace lagoon::atoll::detail {

/// `Note` is what the caller keeps of a rank; `note(rank)` is asked when a block is found anew.
template <class Note>
class PlaceFinder {
 public:
  struct Place {
    int rank;
    std::int64_t offset;  // in the rank's memory, bytes
    Note note;
  };

  PlaceFinder(const Distribution& distribution, std::size_t element_bytes) noexcept
      : distribution_(distribution), element_bytes_(static_cast<std::int64_t>(element_bytes)) {}

  /// Of a position, which must lie inside the shape.
  template <class MakeNote>
  Place find(const std::int64_t* position, MakeNote&& note) {
    if (in_vain_ < most_in_vain) {
      for (std::size_t i = 0; i < used_; ++i)
        if (blocks_[i].holds(position)) {
          in_vain_ = 0;
          return blocks_[i].place_of(position);
        }
      ++in_vain_;
      return remember(index_of(position), note).place_of(position);
    }
    const auto [rank, offset] = distribution_.place_of(index_of(position));
    return {rank, offset * element_bytes_, note(rank)};
  }

 private:
  struct Block {
    Index lo, hi;
    Index strides;          // bytes
    std::int64_t base = 0;  // byte offset that position 0 would have
    int rank = 0;
    Note note{};

    bool holds(const std::int64_t* position) const noexcept {
      for (int d = 0; d < lo.size(); ++d)
        if (position[d] < lo[d] || position[d] >= hi[d]) return false;
      return true;
    }
    Place place_of(const std::int64_t* position) const noexcept {
      std::int64_t offset = base;
      for (int d = 0; d < lo.size(); ++d) offset += position[d] * strides[d];
      return {rank, offset, note};
    }
  };
  static constexpr int most_in_vain = 64;  // positions one after another, in other blocks

  Index index_of(const std::int64_t* position) const {
    return Index({position, static_cast<std::size_t>(distribution_.shape().size())});
  }
  template <class MakeNote>
  const Block& remember(const Index& position, MakeNote&& note) {
    if (used_ < blocks_.size()) ++used_;
    Block& block = blocks_[next_];
    next_ = (next_ + 1) % blocks_.size();
    const auto [patch, place] = distribution_.block_at(position);
    block.lo = patch.lo;
    block.hi = patch.hi;
    block.rank = place.rank;
    block.strides = place.strides;
    block.base = place.offset * element_bytes_;
    for (int d = 0; d < block.lo.size(); ++d) {
      block.strides[d] *= element_bytes_;
      block.base -= block.lo[d] * block.strides[d];
    }
    block.note = note(place.rank);
    return block;
  }

  const Distribution& distribution_;
  std::int64_t element_bytes_;
  std::array<Block, 4> blocks_;
  std::size_t used_ = 0, next_ = 0;
  int in_vain_ = 0;
};

}  // namespace lagoon::atoll::detail
