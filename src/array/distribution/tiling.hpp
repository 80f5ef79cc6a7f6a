// Tiling: an index space cut into tiles of about 8 KiB, as square as the shape allows, whose
// extents are powers of two. What is remembered about a mirrored array's contents is remembered by
// tile: the same tiles on every node, however the node's ranks share the array.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "array/distribution/piece.hpp"
#include "atoll/index.hpp"

namespace lagoon::atoll::detail {

class Tiling {
 public:
  /// A small tile lets little travel that was not written; 8 KiB cost one bit and, once pointers
  /// are handed out, one 64-bit fingerprint.
  static constexpr std::int64_t tile_bytes = 8192;

  Tiling(const Index& shape, std::size_t element_bytes);

  /// Tiles, numbered in row-major order.
  std::int64_t tiles() const noexcept { return tiles_; }
  const Index& grid() const noexcept { return grid_; }
  /// The tile that holds an element.
  std::int64_t tile_of(const Index& position) const noexcept {
    std::int64_t tile = 0;
    for (int d = 0; d < shape_.size(); ++d)
      tile += (position[d] >> shift_[static_cast<unsigned>(d)]) * stride_[static_cast<unsigned>(d)];
    return tile;
  }
  /// What a tile covers.
  Patch patch(std::int64_t tile) const;
  bool covered(std::int64_t tile, const Patch& patch) const;

  /// Calls `f(first, last)` for the runs of consecutive tiles that hold an element of `section`
  /// (steps allowed), in ascending order.
  template <class F>
  void for_each_run(const Patch& section, F&& f) const;

  /// Calls `f(patch)` for a few patches that together make up the part of `within` (step one) that
  /// lies in the tiles from `first` to before `last`.
  template <class F>
  void for_each_box(std::int64_t first, std::int64_t last, const Patch& within, F&& f) const;

 private:
  template <class F>
  void boxes(int d, std::int64_t first, std::int64_t last, Patch& tiles, F& f) const;
  /// Whether the section has an element in the t-th row of tiles of dimension d.
  bool touches(const Patch& section, int d, std::int64_t t) const noexcept;

  Index shape_, grid_;
  std::array<int, max_dimensions> shift_{};            // log2 of a tile's extent
  std::array<std::int64_t, max_dimensions> stride_{};  // tiles from one to the next
  std::int64_t tiles_ = 0;
};

template <class F>
void Tiling::for_each_run(const Patch& section, F&& f) const {
  if (section.empty()) return;
  const int n = shape_.size(), last = n - 1;
  Index low = grid_, high = grid_;  // inclusive
  for (int d = 0; d < n; ++d) {
    low[d] = section.lo[d] >> shift_[static_cast<unsigned>(d)];
    high[d] = (section.hi[d] - 1) >> shift_[static_cast<unsigned>(d)];
  }
  const bool stepped = !section.step.empty();
  Index at = low;
  for (;;) {
    bool hit = true;
    std::int64_t base = 0;
    for (int d = 0; d < last; ++d) {
      base += at[d] * stride_[static_cast<unsigned>(d)];
      hit = hit && (!stepped || touches(section, d, at[d]));
    }
    if (hit && (!stepped || section.step[last] <= std::int64_t{1}
                                                      << shift_[static_cast<unsigned>(last)])) {
      f(base + low[last],
        base + high[last] + (stepped && !touches(section, last, high[last]) ? 0 : 1));
    } else if (hit) {
      for (std::int64_t t = low[last]; t <= high[last]; ++t)
        if (touches(section, last, t)) f(base + t, base + t + 1);
    }
    int d = last - 1;
    for (; d >= 0; --d) {
      if (++at[d] <= high[d]) break;
      at[d] = low[d];
    }
    if (d < 0) return;
  }
}

template <class F>
void Tiling::for_each_box(std::int64_t first, std::int64_t last, const Patch& within, F&& f) const {
  if (first >= last) return;
  Patch tiles{Index::filled(shape_.size(), 0), grid_, {}};
  auto cut = [&](const Patch& box) {
    Patch part = box;
    for (int d = 0; d < shape_.size(); ++d) {
      const int shift = shift_[static_cast<unsigned>(d)];
      part.lo[d] = std::max(box.lo[d] << shift, within.lo[d]);
      part.hi[d] = std::min({box.hi[d] << shift, shape_[d], within.hi[d]});
      if (part.lo[d] >= part.hi[d]) return;
    }
    f(static_cast<const Patch&>(part));
  };
  boxes(0, first, last, tiles, cut);
}

// A run is at most three boxes a dimension: the rest of its first row, whole rows, the begin of
// its last.
template <class F>
void Tiling::boxes(int d, std::int64_t first, std::int64_t last, Patch& tiles, F& f) const {
  const std::int64_t stride = stride_[static_cast<unsigned>(d)];
  const auto inside_row = [&](std::int64_t row, std::int64_t from, std::int64_t to) {
    tiles.lo[d] = row;
    tiles.hi[d] = row + 1;
    boxes(d + 1, from, to, tiles, f);
  };
  std::int64_t row = first / stride;
  const std::int64_t end = last / stride;
  if (row == end) {
    inside_row(row, first % stride, last % stride);
  } else {
    if (first % stride != 0) inside_row(row++, first % stride, stride);
    if (row < end) {
      tiles.lo[d] = row;
      tiles.hi[d] = end;
      f(tiles);
    }
    if (last % stride != 0) inside_row(end, 0, last % stride);
  }
  tiles.lo[d] = 0;
  tiles.hi[d] = grid_[d];
}

}  // namespace lagoon::atoll::detail
