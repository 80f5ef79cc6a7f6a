// Parsers of metadata, and what holds of all that they accept.
#include "metadata.hpp"

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "disk/byte_writer.hpp"
#include "disk/checkpoint_folder.hpp"
#include "disk/crc32c.hpp"
#include "disk/disk_record.hpp"
#include "disk/hdf5_skeleton.hpp"
#include "disk/zarr_metadata.hpp"

namespace lagoon::atoll::test {

namespace {

using Bytes = std::vector<std::byte>;

void require(bool condition) {
  if (!condition) std::abort();
}

/// The same with the checksum of all before in its last four bytes.
Bytes sealed(std::span<const std::byte> bytes, std::size_t size) {
  Bytes result(bytes.begin(), bytes.end());
  result.resize(size);
  if (size < 4) return result;
  detail::ByteWriter checksum;
  checksum.u32(detail::crc32c(std::span(result).first(size - 4)));
  std::copy(checksum.bytes().begin(), checksum.bytes().end(), result.end() - 4);
  return result;
}

void parse_description(std::span<const std::byte> bytes) {
  const auto description = detail::decode_description(bytes);
  if (!description) return;
  const detail::DiskLayout& layout = description->layout;
  require(layout.tiles >= 0 && layout.tile_bytes > 0 && layout.data_offset > 0);
  require(layout.file_bytes >= layout.data_offset);
  require(!description->name.empty());
  for (int d = 0; d < layout.shape.size(); ++d)
    require(layout.tile[d] >= 1 && layout.shape[d] >= 0 && layout.grid[d] >= 0);
  require(detail::encode(*description) == Bytes(bytes.begin(), bytes.begin() + 4096));
  // What is computed from it has a size that the number of tiles sets.
  constexpr std::int64_t many = 100000;
  (void)detail::hdf5_skeleton(layout, description->name);
  (void)detail::zarr_json(layout);
  if (layout.tiles < many) (void)detail::zarr_index(layout);
}

void parse_commit(std::span<const std::byte> bytes) {
  const detail::DiskLayout layout(ElementType::float64, {10, 10}, {4, 5});
  const auto commit = detail::decode_commit(layout, bytes);
  if (commit) require(commit->checksums.size() == static_cast<std::size_t>(layout.tiles));
}

void parse_block(std::span<const std::byte> bytes) {
  const detail::DiskLayout layout(ElementType::float64, {10, 10}, {4, 5});
  const auto block = detail::decode_block(layout, bytes);
  if (!block) return;
  require(block->generation > block->base.generation);
  for (const detail::TileChecksum& change : block->changes)
    require(change.tile >= 0 && change.tile < layout.tiles);
}

void parse_manifest(std::span<const std::byte> bytes) {
  const auto manifest = detail::decode_manifest(bytes);
  if (!manifest) return;
  require(manifest->step >= 0 && manifest->number >= 0);
  for (const auto& entry : manifest->arrays) require(detail::is_array_name(entry.name));
}

}  // namespace

void parse_metadata(std::span<const std::byte> bytes) {
  for (const bool seal : {false, true}) {
    const auto as = [&](std::size_t size) {
      return seal ? sealed(bytes, size) : Bytes(bytes.begin(), bytes.end());
    };
    parse_description(as(detail::description_bytes));
    parse_manifest(as(bytes.size()));
    Bytes commit = as(64);
    if (seal && bytes.size() > 64) commit.insert(commit.end(), bytes.begin() + 64, bytes.end());
    parse_commit(commit);
    parse_block(commit);
  }
}

}  // namespace lagoon::atoll::test
