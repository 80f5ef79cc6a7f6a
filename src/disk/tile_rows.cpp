// Rows of tiles in memory.
#include "disk/tile_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "disk/crc32c.hpp"

namespace lagoon::atoll::detail {

namespace {

// Below this copying is cheaper than handing the kernel one more piece.
constexpr std::int64_t least_row_bytes = 512;
// What stays in a core's second-level cache, or just beside it; a file system takes microseconds
// for a call, which shows in smaller ones.
constexpr std::size_t part_bytes = std::size_t{1} << 20;
constexpr std::size_t zeros_bytes = std::size_t{1} << 16;
constexpr std::array<std::byte, zeros_bytes> zeros{};

void add_zeros(std::vector<iovec>& rows, std::size_t bytes) {
  for (; bytes > zeros_bytes; bytes -= zeros_bytes)
    rows.push_back({const_cast<std::byte*>(zeros.data()), zeros_bytes});
  if (bytes > 0) rows.push_back({const_cast<std::byte*>(zeros.data()), bytes});
}

/// A run of a tile's bytes that is one of memory, too.
struct TileRow {
  std::int64_t offset;  // in the tile
  std::byte* memory;
  std::int64_t bytes;
};

/// What a section moves of a tile, in the order of offsets; nothing where not all is at hand, or in
/// pieces too short to be worth it.
std::vector<TileRow> rows_of(const DiskLayout& layout, const Section& section,
                             const std::vector<TilePiece>& pieces) {
  if (section.transposed()) return {};
  const auto element = static_cast<std::int64_t>(size_of(layout.type));
  const Index strides = tile_strides(layout, section);
  const int last = strides.size() - 1;
  std::vector<TileRow> rows;
  for (const TilePiece& piece : pieces) {
    const std::int64_t bytes = piece.shape[last] * element;
    if (piece.memory == nullptr || piece.strides[last] != element || bytes < least_row_bytes)
      return {};
    Index place = Index::filled(piece.shape.size(), 0);  // of the row, in the piece
    for (int d = 0; d >= 0;) {
      TileRow row{piece.place, piece.memory, bytes};
      for (int e = 0; e < last; ++e) {
        row.offset += place[e] * strides[e];
        row.memory += place[e] * piece.strides[e];
      }
      rows.push_back(row);
      d = last - 1;
      while (d >= 0 && ++place[d] == piece.shape[d]) place[d--] = 0;
    }
  }
  const auto before = [](const TileRow& a, const TileRow& b) { return a.offset < b.offset; };
  if (!std::is_sorted(rows.begin(), rows.end(), before))
    std::sort(rows.begin(), rows.end(), before);
  return rows;
}

}  // namespace

std::vector<iovec> rows_at_hand(const DiskLayout& layout, const Section& section, std::int64_t tile,
                                const std::vector<TilePiece>& pieces, Padding padding) {
  if (!section.covers(tile)) return {};
  std::vector<iovec> all;
  std::int64_t at = 0;
  const auto pad_to = [&](std::int64_t offset) {
    if (offset > at) add_zeros(all, static_cast<std::size_t>(offset - at));
    return offset == at || padding == Padding::zeros;
  };
  const std::vector<TileRow> rows = rows_of(layout, section, pieces);
  if (rows.empty()) return {};
  for (const TileRow& row : rows) {
    if (!pad_to(row.offset)) return {};
    all.push_back({row.memory, static_cast<std::size_t>(row.bytes)});
    at = row.offset + row.bytes;
  }
  if (!pad_to(layout.tile_bytes)) return {};
  return all;
}

void for_each_part(const std::vector<iovec>& rows,
                   const std::function<void(std::int64_t, std::vector<iovec>)>& step) {
  std::int64_t offset = 0;
  for (auto first = rows.begin(); first != rows.end();) {
    std::size_t bytes = 0;
    auto last = first;
    while (last != rows.end() && (last == first || bytes + last->iov_len <= part_bytes))
      bytes += last++->iov_len;
    step(offset, {first, last});
    offset += static_cast<std::int64_t>(bytes);
    first = last;
  }
}

std::uint32_t crc32c_of(std::span<const iovec> rows, std::uint32_t before) noexcept {
  std::uint32_t checksum = before;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto* const next =
        i + 1 < rows.size() ? static_cast<const std::byte*>(rows[i + 1].iov_base) : nullptr;
    checksum =
        crc32c({static_cast<const std::byte*>(rows[i].iov_base), rows[i].iov_len}, checksum, next);
  }
  return checksum;
}

}  // namespace lagoon::atoll::detail
