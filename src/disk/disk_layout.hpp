// DiskLayout: where the elements of a disk array lie in its file. Tiles of one shape follow each
// other in row-major order of the grid of tiles; those at the upper edges are whole, too. The file
// begins with the index that Zarr reads, then what HDF5 reads (docs/disk-format.md).
#pragma once

#include <cstdint>

#include "atoll/index.hpp"
#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

struct DiskLayout {
  /// Error(value) for extents that no file can hold.
  DiskLayout(ElementType type, const Index& shape, const Index& tile);

  ElementType type;
  Index shape, tile;
  Index grid;          ///< tiles in each dimension
  std::int64_t tiles;  ///< in all; 0 for arrays without elements
  std::int64_t tile_bytes;
  std::int64_t user_block;   ///< bytes before HDF5's own begin: a power of two
  std::int64_t data_offset;  ///< of the first tile, a multiple of a page
  std::int64_t file_bytes;

  std::int64_t offset_of(std::int64_t number) const noexcept {
    return data_offset + number * tile_bytes;
  }
  /// What of the array a tile holds.
  Patch patch_of(std::int64_t number) const;
  /// The number of the tile at a place in the grid.
  std::int64_t number_of(const Index& place) const noexcept;
};

/// Tiles of about 2 MiB for an array; `request` is the shape of typical sections (entries of -1, or
/// no entries: unknown), of which they are equal parts.
Index choose_tile(ElementType type, const Index& shape, const Index& request);

}  // namespace lagoon::atoll::detail
