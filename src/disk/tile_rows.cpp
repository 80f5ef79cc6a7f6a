// Rows of tiles in memory.
#include "disk/tile_rows.hpp"

#include <array>
#include <cstddef>

#include "array/array_state.hpp"
#include "disk/crc32c.hpp"

namespace lagoon::atoll::detail {

namespace {

// Below this copying is cheaper than handing the kernel one more piece.
constexpr std::int64_t least_row_bytes = 512;
constexpr std::size_t zeros_bytes = std::size_t{1} << 16;
constexpr std::array<std::byte, zeros_bytes> zeros{};

void add_zeros(std::vector<iovec>& rows, std::size_t bytes) {
  for (; bytes > zeros_bytes; bytes -= zeros_bytes)
    rows.push_back({const_cast<std::byte*>(zeros.data()), zeros_bytes});
  if (bytes > 0) rows.push_back({const_cast<std::byte*>(zeros.data()), bytes});
}

/// The block on this node that holds the patch, if one does and its rows are packed.
ReadableBlock block_around(const AnyArray& array, const Patch& patch) {
  const DistributionKind kind = array.distribution().kind();
  if (kind != DistributionKind::blocked && kind != DistributionKind::irregular) return {};
  const std::vector<OwnedPatch> owners = array.locate(patch);
  if (owners.size() != 1 || array.state()->block(owners[0].rank) == nullptr) return {};
  ReadableBlock block = array.readable_block(owners[0].rank);
  if (block.strides[block.strides.size() - 1] != 1) block.data = nullptr;
  return block;
}

}  // namespace

std::vector<iovec> rows_at_hand(const DiskLayout& layout, const Section& section, std::int64_t tile,
                                const AnyArray& array, Padding padding) {
  if (section.transposed() || array.mirrored() || !section.covers(tile)) return {};
  const Patch region = section.region(tile);
  const Index shape = region.shape();
  const int last = shape.size() - 1;
  const auto element = static_cast<std::int64_t>(size_of(layout.type));
  if (shape[last] * element < least_row_bytes) return {};
  if (padding == Padding::none && shape != layout.tile) return {};
  const Patch patch = section.array_region(region);
  const ReadableBlock block = block_around(array, patch);
  if (block.data == nullptr) return {};

  std::vector<iovec> rows;
  const auto length = static_cast<std::size_t>(shape[last] * element);
  const auto rest = static_cast<std::size_t>((layout.tile[last] - shape[last]) * element);
  Index place = Index::filled(shape.size(), 0);  // of the row, in the tile
  for (;;) {
    bool inside = true;
    std::int64_t offset = patch.lo[last] - block.patch.lo[last];
    for (int d = 0; d < last; ++d) {
      inside = inside && place[d] < shape[d];
      offset += (patch.lo[d] + place[d] - block.patch.lo[d]) * block.strides[d];
    }
    if (inside) {
      // Reading writes there; the caller has the right to.
      auto* const memory = static_cast<std::byte*>(const_cast<void*>(block.data));
      rows.push_back({memory + offset * element, length});
      add_zeros(rows, rest);
    } else {
      add_zeros(rows, length + rest);
    }
    int d = last - 1;
    while (d >= 0 && ++place[d] == layout.tile[d]) place[d--] = 0;
    if (d < 0) return rows;
  }
}

std::uint32_t crc32c_of(std::span<const iovec> rows) noexcept {
  std::uint32_t checksum = 0;
  for (const iovec& row : rows)
    checksum = crc32c({static_cast<const std::byte*>(row.iov_base), row.iov_len}, checksum);
  return checksum;
}

}  // namespace lagoon::atoll::detail
