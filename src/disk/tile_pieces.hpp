// TilePieces: where in the ranks' memories the elements are that a tile of a file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "atoll/array.hpp"
#include "disk/disk_record.hpp"
#include "disk/section.hpp"

namespace lagoon::atoll::detail {

/// A part of a tile that lies in one rank's memory. In the array's order of dimensions.
struct TilePiece {
  std::byte* memory;  ///< the first element; null where it is on another node
  Index strides;      ///< bytes, in that memory
  Index shape;
  Patch patch;         ///< of the array
  std::int64_t place;  ///< byte offset in the tile
  std::int64_t bytes;
};

/// Of a region of a tile; `array` is looked at only. Any thread may ask.
std::vector<TilePiece> pieces_of(const DiskLayout& layout, const Section& section,
                                 std::int64_t tile, const AnyArray& array);
/// Strides in a tile, in bytes, by the array's order of dimensions.
Index tile_strides(const DiskLayout& layout, const Section& section);

/// Which of a section's tiles this rank moves, ascending: those of its node's file, or those that
/// have most of their elements on its node, dealt out evenly there. All ranks say the same.
std::vector<std::int64_t> tiles_of_rank(const DiskDescription& description, const Section& section,
                                        const AnyArray& array, const Group& group);
/// The tiles [first, last) of all that this rank looks after.
std::pair<std::int64_t, std::int64_t> tiles_of_rank(const DiskDescription& description,
                                                    const Group& group);
/// Every node moves all tiles, each to its own copy.
std::vector<std::int64_t> tiles_of_rank_in_copy(const Section& section, const Group& group);

}  // namespace lagoon::atoll::detail
