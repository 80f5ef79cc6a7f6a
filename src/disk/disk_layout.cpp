// Tiles and offsets.
#include "disk/disk_layout.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

// Elements go to the file as they lie in memory, and files are little-endian.
static_assert(std::endian::native == std::endian::little);

constexpr std::int64_t page = 4096;
constexpr std::int64_t best_tile_bytes = std::int64_t{2} << 20;
// HDF5 counts the bytes of a chunk in 32 bits, calls of the system those of a transfer in 31.
constexpr std::int64_t most_tile_bytes = std::int64_t{1} << 30;
constexpr std::int64_t index_entry = 16, index_checksum = 4;

std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    throw Error(ErrorKind::value, "the array has more bytes than a file can hold");
  return result;
}

}  // namespace

DiskLayout::DiskLayout(ElementType element_type, const Index& array_shape, const Index& tile_shape)
    : type(element_type), shape(array_shape), tile(tile_shape), grid(array_shape), tiles(1) {
  if (shape.empty() || tile.size() != shape.size())
    throw Error(ErrorKind::value, "tile " + tile.to_string() + " does not fit an array of shape " +
                                      shape.to_string());
  tile_bytes = static_cast<std::int64_t>(size_of(type));
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0 || tile[d] < 1 || tile[d] > std::max<std::int64_t>(shape[d], 1))
      throw Error(ErrorKind::value, "tile " + tile.to_string() +
                                        " does not fit an array of shape " + shape.to_string());
    grid[d] = shape[d] == 0 ? 0 : (shape[d] - 1) / tile[d] + 1;
    tiles = checked_product(tiles, grid[d]);
    tile_bytes = checked_product(tile_bytes, tile[d]);
  }
  if (tile_bytes > most_tile_bytes)
    throw Error(ErrorKind::value, "a tile of " + tile.to_string() + " has " +
                                      std::to_string(tile_bytes) + " bytes, expected at most " +
                                      std::to_string(most_tile_bytes));
  const std::int64_t index = checked_product(tiles, index_entry) + index_checksum;
  user_block = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(index, page))));
  data_offset = user_block + page;
  const std::int64_t data = checked_product(tiles, tile_bytes);
  if (data > std::numeric_limits<std::int64_t>::max() - data_offset) checked_product(data, data);
  file_bytes = data_offset + data;
}

Patch DiskLayout::patch_of(std::int64_t number) const {
  Patch patch{shape, shape, {}};
  for (int d = shape.size() - 1; d >= 0; --d) {
    const std::int64_t place = number % grid[d];
    number /= grid[d];
    patch.lo[d] = place * tile[d];
    patch.hi[d] = std::min(patch.lo[d] + tile[d], shape[d]);
  }
  return patch;
}

std::int64_t DiskLayout::number_of(const Index& place) const noexcept {
  std::int64_t number = 0;
  for (int d = 0; d < shape.size(); ++d) number = number * grid[d] + place[d];
  return number;
}

Index choose_tile(ElementType type, const Index& shape, const Index& request) {
  const auto element = static_cast<std::int64_t>(size_of(type));
  // What is asked for at once, rounded up to powers of two, then halved where it is longest.
  Index wanted = shape, ideal = shape;
  for (int d = 0; d < shape.size(); ++d) {
    if (d < request.size() && request[d] > 0) wanted[d] = std::min(request[d], shape[d]);
    wanted[d] = std::max<std::int64_t>(wanted[d], 1);
    ideal[d] = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::min(wanted[d], best_tile_bytes))));
  }
  const auto bytes = [&] {
    double product = static_cast<double>(element);
    for (const std::int64_t extent : ideal) product *= static_cast<double>(extent);
    return product;
  };
  while (bytes() > static_cast<double>(best_tile_bytes)) {
    const auto longest = std::max_element(ideal.begin(), ideal.end());
    *longest /= 2;
  }
  Index tile = shape;
  for (int d = 0; d < shape.size(); ++d) {
    const bool hinted = d < request.size() && request[d] > 0;
    const std::int64_t parts = (wanted[d] - 1) / ideal[d] + 1;
    tile[d] = hinted || parts == 1 ? (wanted[d] - 1) / parts + 1 : ideal[d];
  }
  return tile;
}

}  // namespace lagoon::atoll::detail
