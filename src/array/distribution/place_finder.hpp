// PlaceFinder: where positions lie, one after another. It keeps the last few blocks that it found,
// so that positions in them cost a few comparisons and products each.
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
    std::int64_t offset(const std::int64_t* position) const noexcept {
      std::int64_t offset = base;
      for (int d = 0; d < lo.size(); ++d) offset += position[d] * strides[d];
      return offset;
    }
  };

  PlaceFinder(const Distribution& distribution, std::size_t element_bytes) noexcept
      : distribution_(distribution), element_bytes_(static_cast<std::int64_t>(element_bytes)) {}

  /// The block of a position, which must lie inside the shape. It stays until the next call.
  template <class MakeNote>
  const Block& find(const std::int64_t* position, MakeNote&& note) {
    for (std::size_t i = 0; i < used_; ++i)
      if (blocks_[i].holds(position)) return blocks_[i];
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

 private:
  const Distribution& distribution_;
  std::int64_t element_bytes_;
  std::array<Block, 4> blocks_;
  std::size_t used_ = 0, next_ = 0;
};

}  // namespace lagoon::atoll::detail
