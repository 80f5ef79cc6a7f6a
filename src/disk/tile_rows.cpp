// Rows of tiles in memory.
#include "disk/tile_rows.hpp"

#include <array>
#include <cstddef>

#include "disk/crc32c.hpp"

namespace lagoon::atoll::detail {

namespace {

// Below this copying is cheaper than handing the kernel one more piece.
constexpr std::int64_t least_row_bytes = 512;
// A part of a second-level cache.
constexpr std::size_t part_bytes = std::size_t{1} << 18;
constexpr std::size_t zeros_bytes = std::size_t{1} << 16;
constexpr std::array<std::byte, zeros_bytes> zeros{};

void add_zeros(std::vector<iovec>& rows, std::size_t bytes) {
  for (; bytes > zeros_bytes; bytes -= zeros_bytes)
    rows.push_back({const_cast<std::byte*>(zeros.data()), zeros_bytes});
  if (bytes > 0) rows.push_back({const_cast<std::byte*>(zeros.data()), bytes});
}

}  // namespace

std::vector<iovec> rows_at_hand(const DiskLayout& layout, const Section& section, std::int64_t tile,
                                const std::vector<TilePiece>& pieces, Padding padding) {
  if (section.transposed() || pieces.size() != 1 || !section.covers(tile)) return {};
  const TilePiece& piece = pieces.front();
  const Index& shape = piece.shape;
  const int last = shape.size() - 1;
  const auto element = static_cast<std::int64_t>(size_of(layout.type));
  if (piece.memory == nullptr || piece.strides[last] != element) return {};
  if (shape[last] * element < least_row_bytes) return {};
  if (padding == Padding::none && shape != layout.tile) return {};

  std::vector<iovec> rows;
  const auto length = static_cast<std::size_t>(shape[last] * element);
  const auto rest = static_cast<std::size_t>((layout.tile[last] - shape[last]) * element);
  Index place = Index::filled(shape.size(), 0);  // of the row, in the tile
  for (;;) {
    bool inside = true;
    std::int64_t offset = 0;
    for (int d = 0; d < last; ++d) {
      inside = inside && place[d] < shape[d];
      offset += place[d] * piece.strides[d];
    }
    if (inside) {
      rows.push_back({piece.memory + offset, length});
      add_zeros(rows, rest);
    } else {
      add_zeros(rows, length + rest);
    }
    int d = last - 1;
    while (d >= 0 && ++place[d] == layout.tile[d]) place[d--] = 0;
    if (d < 0) return rows;
  }
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
