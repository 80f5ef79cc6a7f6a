// Blocks along the dimensions of a block-sparse product, and what of them counts for a rank.
//
// A rank's part of the result is packed: its rows and columns are counted through, as in
// matmul_plan.hpp. For one inner block the rows and columns that count are packed once more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algebra/matrices/matmul_plan.hpp"

namespace lagoon::atoll::detail {

/// Error(value) unless these are the beginnings of blocks of so many positions; `name` is for the
/// message.
void check_cuts(std::span<const std::int64_t> cuts, std::int64_t extent, std::string_view name);
/// The block that holds a position, and where a block lies.
std::size_t block_at(std::span<const std::int64_t> cuts, std::int64_t position) noexcept;
Extent block_extent(std::span<const std::int64_t> cuts, std::int64_t extent,
                    std::size_t block) noexcept;

/// A rank's rows, or columns, cut where blocks begin.
class BlockAxis {
 public:
  /// Neighbours in the memory of the result: positions of one band. `one_band`: all are, else those
  /// of one extent.
  BlockAxis(const Extents& extents, bool one_band, std::span<const std::int64_t> cuts);

  struct Segment {
    std::size_t slot;  ///< its block, as a place in `blocks`
    std::size_t band;
    Extent packed;
    Extents extents;
  };
  struct Block {
    std::int64_t number;
    bool begins_here;  ///< this rank has its first position, and counts it
  };
  std::vector<Segment> segments;  // ascending
  std::vector<Block> blocks;      // ascending
  std::size_t bands;
};

/// Pairs of row and column blocks of a rank (slots of its axes).
class KeptPairs {
 public:
  KeptPairs(std::size_t rows, std::size_t columns) : columns_(columns), kept_(rows * columns, 0) {}
  char& operator()(std::size_t row, std::size_t column) { return kept_[row * columns_ + column]; }
  bool operator()(std::size_t row, std::size_t column) const {
    return kept_[row * columns_ + column] != 0;
  }
  std::span<const char> row(std::size_t row) const {
    return std::span(kept_).subspan(row * columns_, columns_);
  }
  bool none() const noexcept;
  friend bool operator==(const KeptPairs&, const KeptPairs&) = default;

 private:
  std::size_t columns_;
  std::vector<char> kept_;
};

/// A rectangle of the result all of which counts: in one band each way.
struct KeptRectangle {
  Extent rows, columns;  ///< packed through the rank's part
  std::size_t row_band, column_band;
  std::int64_t row, column;  ///< the first, packed through what counts
};

/// What of a rank's part counts for an inner block.
struct KeptPart {
  KeptPart(const BlockAxis& row_axis, const BlockAxis& column_axis, const KeptPairs& kept);
  Extents rows, columns;
  std::vector<KeptRectangle> rectangles;
};

}  // namespace lagoon::atoll::detail
