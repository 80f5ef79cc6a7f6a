// Section: which tiles of a disk array a transfer touches, and where their elements are in the
// other array.
#pragma once

#include <cstdint>
#include <vector>

#include "disk/disk_layout.hpp"

namespace lagoon::atoll::detail {

class Section {
 public:
  /// disk[patch] and array[array_patch], of the same shape, or of reversed shapes.
  Section(const DiskLayout& layout, const Patch& patch, const Patch& array_patch, bool transposed);

  /// Whether both, of one disk array, touch a tile.
  bool meets(const Section& other) const;
  bool transposed() const noexcept { return transposed_; }
  /// How many tiles it touches, numbered in the order in which they lie in the file.
  std::int64_t tiles() const noexcept { return tiles_; }
  /// The number in the file of the i-th.
  std::int64_t tile(std::int64_t i) const;
  /// What of a tile is moved, in the disk array's coordinates.
  Patch region(std::int64_t tile) const;
  bool covers(std::int64_t tile) const;
  /// The elements of the other array that belong to a region.
  Patch array_region(const Patch& region) const;
  /// Where they are in a buffer that holds the tile: the first one, and strides, in elements.
  std::int64_t buffer_offset(std::int64_t tile, const Patch& region) const;
  Index buffer_strides() const;

 private:
  const DiskLayout& layout_;
  Patch patch_, array_patch_;
  bool transposed_;
  Patch places_;  // in the grid of tiles
  std::int64_t tiles_;
};

}  // namespace lagoon::atoll::detail
