// Tiles as rows of arrays' memory, where all of them lie on this node: then they go to the file and
// come from it without a copy.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "disk/tile_pieces.hpp"

namespace lagoon::atoll::detail {

/// What a tile's rows are filled up with where the array ends before the tile.
enum class Padding : bool {
  zeros,  ///< a run of zeros that nobody may write
  none,   ///< then such tiles have no rows
};

/// The bytes of a tile of the file in order, or nothing where they are not at hand, or in pieces
/// too short to be worth it.
std::vector<iovec> rows_at_hand(const DiskLayout& layout, const Section& section, std::int64_t tile,
                                const std::vector<TilePiece>& pieces, Padding padding);

/// Goes through rows a few at a time, so many that what is done twice with them finds them in a
/// core's cache: `step(offset, rows)`, the offset from the first byte.
void for_each_part(const std::vector<iovec>& rows,
                   const std::function<void(std::int64_t, std::vector<iovec>)>& step);
std::uint32_t crc32c_of(std::span<const iovec> rows, std::uint32_t before = 0) noexcept;

}  // namespace lagoon::atoll::detail
