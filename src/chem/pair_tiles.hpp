// Tiles seen by shell pairs (p, q), whichever of their blocks is the larger: a task over blocks
// (IJ|KL) meets tiles of (K, J) and (L, J) the other way round.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "digest.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

/// Where the shell pairs of blocks (P, Q) lie in tiles of (larger, smaller) block.
class PairPlaces {
 public:
  PairPlaces(const ShellBlocks& blocks, int block_p, int block_q)
      : blocks_(&blocks),
        flipped_(block_p < block_q),
        row_shell_(blocks.begin(std::max(block_p, block_q))),
        column_shell_(blocks.begin(std::min(block_p, block_q))),
        column_shells_(blocks.shells(std::min(block_p, block_q))),
        row_(blocks.first(row_shell_)),
        column_(blocks.first(column_shell_)),
        columns_(blocks.functions(std::min(block_p, block_q))) {}

  /// The number of the pair.
  std::ptrdiff_t pair(int p, int q) const noexcept {
    if (flipped_) std::swap(p, q);
    return (p - row_shell_) * column_shells_ + q - column_shell_;
  }
  /// The pair's little matrix in `values` of a tile.
  template <class T>
  PairView<T> view(T* values, int p, int q) const noexcept {
    if (!flipped_) return {values + offset(p, q), 1, blocks_->width(p)};
    return {values + offset(q, p), blocks_->width(q), 1};
  }
  /// A view of `memory` with the element order that the pair has in a tile.
  PairView<double> like_tile(double* memory, int p, int q) const noexcept {
    return flipped_ ? PairView<double>{memory, blocks_->width(q), 1}
                    : PairView<double>{memory, 1, blocks_->width(p)};
  }

 private:
  /// As ShellBlocks::offset, from what is constant in a task.
  std::ptrdiff_t offset(int p, int q) const noexcept {
    return (blocks_->first(p) - row_) * columns_ +
           (blocks_->first(q) - column_) * blocks_->width(p);
  }

  const ShellBlocks* blocks_;
  bool flipped_;
  int row_shell_, column_shell_, column_shells_, row_, column_, columns_;
};

/// Throws std::invalid_argument unless the tile is of (the larger, the smaller) of two blocks.
template <class Tile>
void require_blocks(const Tile& tile, int a, int b) {
  if (tile.p() != std::max(a, b) || tile.q() != std::min(a, b))
    throw std::invalid_argument("a tile does not belong to the blocks of the task");
}

}  // namespace lagoon::atoll::chem
