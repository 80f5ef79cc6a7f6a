// Zarr's metadata of one array in one shard.
#include "disk/zarr_metadata.hpp"

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
  const std::string zero = is_complex(layout.type)   ? "[0.0, 0.0]"
                           : is_integer(layout.type) ? "0"
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

std::vector<std::byte> zarr_index(const DiskLayout& layout) {
  ByteWriter index;
  for (std::int64_t tile = 0; tile < layout.tiles; ++tile)
    index.u64(static_cast<std::uint64_t>(layout.offset_of(tile)))
        .u64(static_cast<std::uint64_t>(layout.tile_bytes));
  index.u32(crc32c(index.bytes()));
  return index.bytes();
}

std::string zarr_key(const DiskLayout& layout) {
  std::string key = "c";
  for (int d = 0; d < layout.shape.size(); ++d) key += "/0";
  return key;
}

}  // namespace lagoon::atoll::detail
