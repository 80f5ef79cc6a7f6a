// Zarr's metadata of one array in one shard.
#include "disk/zarr_metadata.hpp"

#include <algorithm>

#include "disk/byte_writer.hpp"
#include "disk/crc32c.hpp"

namespace lagoon::atoll::detail {

namespace {

std::string list(const Index& values) {
  std::string text;
  for (const std::int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

}  // namespace

std::string zarr_json(const DiskLayout& layout) {
  // A shard is a whole number of tiles, also where the array is not.
  Index shard = layout.tile;
  for (int d = 0; d < shard.size(); ++d) shard[d] *= layout.grid[d] > 0 ? layout.grid[d] : 1;
  const std::string zero = is_complex(layout.type)          ? "[0.0, 0.0]"
                           : traits_of(layout.type).boolean ? "false"
                           : is_integer(layout.type)        ? "0"
                                                            : "0.0";
  const std::string bytes = R"({"name": "bytes", "configuration": {"endian": "little"}})";
  return "{\n"
         "  \"zarr_format\": 3,\n"
         "  \"node_type\": \"array\",\n"
         "  \"shape\": " +
         list(layout.shape) +
         ",\n"
         "  \"data_type\": \"" +
         std::string(name_of(layout.type)) +
         "\",\n"
         "  \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": " +
         list(shard) +
         "}},\n"
         "  \"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": "
         "\"/\"}},\n"
         "  \"fill_value\": " +
         zero +
         ",\n"
         "  \"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\n"
         "    \"chunk_shape\": " +
         list(layout.tile) +
         ",\n"
         "    \"codecs\": [" +
         bytes +
         "],\n"
         "    \"index_codecs\": [" +
         bytes +
         ", {\"name\": \"crc32c\"}],\n"
         "    \"index_location\": \"start\"\n"
         "  }}],\n"
         "  \"attributes\": {}\n"
         "}\n";
}

bool for_each_part_of_index(const DiskLayout& layout, const IndexStep& step) {
  constexpr std::int64_t tiles_at_once = 1 << 14;
  std::uint32_t checksum = 0;
  std::int64_t offset = 0;
  std::vector<std::uint64_t> numbers;  // little-endian, as in memory (disk_layout.cpp)
  for (std::int64_t tile = 0; tile < layout.tiles;) {
    numbers.clear();
    for (const std::int64_t last = std::min(tile + tiles_at_once, layout.tiles); tile < last;
         ++tile) {
      numbers.push_back(static_cast<std::uint64_t>(layout.offset_of(tile)));
      numbers.push_back(static_cast<std::uint64_t>(layout.tile_bytes));
    }
    const auto part = std::as_bytes(std::span(numbers));
    checksum = crc32c(part, checksum);
    if (!step(offset, part)) return false;
    offset += std::ssize(part);
  }
  return step(offset, ByteWriter().u32(checksum).bytes());
}

std::vector<std::byte> zarr_index(const DiskLayout& layout) {
  std::vector<std::byte> index;
  for_each_part_of_index(layout, [&](std::int64_t, std::span<const std::byte> part) {
    index.insert(index.end(), part.begin(), part.end());
    return true;
  });
  return index;
}

std::string zarr_key(const DiskLayout& layout) {
  std::string key = "c";
  for (int d = 0; d < layout.shape.size(); ++d) key += "/0";
  return key;
}

}  // namespace lagoon::atoll::detail
