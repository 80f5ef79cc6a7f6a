// The bytes of the record.
#include "disk/disk_record.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/error.hpp"
#include "disk/byte_writer.hpp"
#include "disk/crc32c.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::string_view description_magic = "ATOLLDRA", commit_magic = "ATOLLGEN",
                           block_magic = "ATOLLJNL";
constexpr std::size_t change_bytes = 12;
constexpr std::uint64_t most_nodes = 1 << 24;

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

/// The bytes without the checksum that they end with, if it is right.
std::optional<std::span<const std::byte>> checked(std::span<const std::byte> bytes,
                                                  std::size_t size) {
  if (bytes.size() < size) return std::nullopt;
  const auto content = bytes.first(size - 4);
  ByteReader checksum(bytes.subspan(size - 4, 4));
  if (checksum.u32() != crc32c(content)) return std::nullopt;
  return content;
}

void add_index(ByteWriter& writer, const Index& index) {
  for (int d = 0; d < max_dimensions; ++d)
    writer.u64(d < index.size() ? static_cast<std::uint64_t>(index[d]) : 0);
}

Index read_index(ByteReader& reader, std::uint64_t dimensions) {
  Index index;
  for (std::uint64_t d = 0; d < max_dimensions; ++d) {
    const auto entry = static_cast<std::int64_t>(reader.u64());
    if (d < dimensions) index.push_back(entry);
  }
  return index;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> run_of(std::int64_t count, std::int64_t part,
                                             std::int64_t parts) {
  const auto begin = [&](std::int64_t i) { return count / parts * i + count % parts * i / parts; };
  return {begin(part), begin(part + 1)};
}

std::pair<std::int64_t, std::int64_t> DiskDescription::tiles_here() const {
  return nodes == 0 ? std::pair{std::int64_t{0}, layout.tiles} : run_of(layout.tiles, node, nodes);
}

bool is_dataset_name(const std::string& name) noexcept {
  return !name.empty() && name.size() <= most_name_bytes && name != "." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

std::vector<std::byte> encode(const DiskDescription& description) {
  const DiskLayout& layout = description.layout;
  ByteWriter writer;
  writer.text(description_magic)
      .u64(description.version)
      .u64(static_cast<std::uint64_t>(layout.type));
  writer.u64(static_cast<std::uint64_t>(layout.shape.size()));
  add_index(writer, layout.shape);
  add_index(writer, layout.tile);
  writer.u64(static_cast<std::uint64_t>(description.nodes));
  writer.u64(static_cast<std::uint64_t>(description.node));
  writer.u64(description.name.size()).text(description.name);
  writer.pad_to(description_bytes - 4).u32(crc32c(writer.bytes()));
  return writer.bytes();
}

std::optional<DiskDescription> decode_description(std::span<const std::byte> bytes) {
  const auto content = checked(bytes, description_bytes);
  if (!content || !begins_with(*content, description_magic)) return std::nullopt;
  ByteReader reader(content->subspan(description_magic.size()));
  const std::uint64_t found_version = reader.u64(), type = reader.u64(), dimensions = reader.u64();
  if (found_version < 1 || found_version > record_version || type >= element_types ||
      dimensions < 1 || dimensions > max_dimensions)
    return std::nullopt;
  const Index shape = read_index(reader, dimensions), tile = read_index(reader, dimensions);
  const std::uint64_t nodes = reader.u64(), node = reader.u64(), length = reader.u64();
  if (nodes > most_nodes || node >= std::max<std::uint64_t>(nodes, 1) || length > most_name_bytes)
    return std::nullopt;
  std::string name;
  for (std::uint64_t i = 0; i < length; ++i) name += static_cast<char>(reader.number(1));
  if (!reader.ok() || !is_dataset_name(name)) return std::nullopt;
  try {
    DiskDescription found{DiskLayout(static_cast<ElementType>(type), shape, tile), name,
                          static_cast<std::int64_t>(nodes), static_cast<std::int64_t>(node),
                          found_version};
    // Nor is there anything else in it.
    const std::vector<std::byte> expected = encode(found);
    if (!std::equal(expected.begin(), expected.end(), bytes.begin())) return std::nullopt;
    return found;
  } catch (const Error&) {
    return std::nullopt;  // extents that no file can hold
  }
}

std::optional<std::uint64_t> version_of(std::span<const std::byte> bytes) {
  const auto content = checked(bytes, description_bytes);
  if (!content || !begins_with(*content, description_magic)) return std::nullopt;
  return ByteReader(content->subspan(description_magic.size())).u64();
}

std::optional<SlotHeader> decode_slot_header(std::span<const std::byte> header) {
  const auto content = checked(header, commit_header_bytes);
  if (!content || !begins_with(*content, commit_magic)) return std::nullopt;
  ByteReader reader(content->subspan(commit_magic.size()));
  SlotHeader found{reader.u64(), 0};
  (void)reader.u64();  // tiles
  found.table_checksum = reader.u32();
  return found;
}

std::vector<std::byte> encode(const DiskCommit& commit) {
  // Little-endian, as numbers are in memory (disk_layout.cpp).
  const auto table = std::as_bytes(std::span(commit.checksums));
  ByteWriter header;
  header.text(commit_magic).u64(commit.generation).u64(commit.checksums.size());
  header.u32(crc32c(table)).pad_to(commit_header_bytes - 4).u32(crc32c(header.bytes()));
  header.append(table);
  return header.bytes();
}

std::optional<DiskCommit> decode_commit(const DiskLayout& layout,
                                        std::span<const std::byte> bytes) {
  const auto header = decode_slot_header(bytes);
  if (!header) return std::nullopt;
  const std::uint64_t tiles = ByteReader(bytes.subspan(commit_magic.size() + 8)).u64();
  if (tiles != static_cast<std::uint64_t>(layout.tiles)) return std::nullopt;
  const auto table = bytes.subspan(commit_header_bytes);
  if (table.size() / 4 < tiles || crc32c(table.first(4 * tiles)) != header->table_checksum)
    return std::nullopt;
  DiskCommit commit{header->generation, std::vector<std::uint32_t>(tiles)};
  if (tiles > 0) std::memcpy(commit.checksums.data(), table.data(), 4 * tiles);
  return commit;
}

std::optional<JournalHeader> decode_journal_header(const DiskLayout& layout,
                                                   std::span<const std::byte> header) {
  const auto content = checked(header, commit_header_bytes);
  if (!content || !begins_with(*content, block_magic)) return std::nullopt;
  ByteReader reader(content->subspan(block_magic.size()));
  JournalHeader found{};
  found.generation = reader.u64();
  found.base.generation = reader.u64();
  found.changes = reader.u64();
  found.base.table_checksum = reader.u32();
  found.changes_checksum = reader.u32();
  if (found.generation <= found.base.generation ||
      found.changes > static_cast<std::uint64_t>(layout.tiles))
    return std::nullopt;
  return found;
}

std::vector<std::byte> encode(const JournalBlock& block) {
  ByteWriter changes, writer;
  for (const TileChecksum& change : block.changes)
    changes.u64(static_cast<std::uint64_t>(change.tile)).u32(change.checksum);
  writer.text(block_magic).u64(block.generation).u64(block.base.generation);
  writer.u64(block.changes.size()).u32(block.base.table_checksum).u32(crc32c(changes.bytes()));
  writer.pad_to(commit_header_bytes - 4).u32(crc32c(writer.bytes())).append(changes.bytes());
  writer.pad_to(static_cast<std::size_t>(block_pages(block.changes.size()) * record_page));
  return writer.bytes();
}

std::optional<JournalBlock> decode_block(const DiskLayout& layout,
                                         std::span<const std::byte> bytes) {
  const auto header = decode_journal_header(layout, bytes);
  if (!header) return std::nullopt;
  const auto rest = bytes.subspan(commit_header_bytes);
  if (rest.size() / change_bytes < header->changes) return std::nullopt;
  const auto changes = rest.first(header->changes * change_bytes);
  if (crc32c(changes) != header->changes_checksum) return std::nullopt;
  JournalBlock block{header->base, header->generation, {}};
  ByteReader reader(changes);
  for (std::uint64_t i = 0; i < header->changes; ++i) {
    const std::uint64_t tile = reader.u64();
    if (tile >= static_cast<std::uint64_t>(layout.tiles)) return std::nullopt;
    block.changes.push_back({static_cast<std::int64_t>(tile), reader.u32()});
  }
  return block;
}

std::int64_t slot_pages(const DiskLayout& layout) {
  const std::int64_t bytes = static_cast<std::int64_t>(commit_header_bytes) + 4 * layout.tiles;
  return (bytes - 1) / record_page + 1;
}

std::int64_t slot_offset(const DiskLayout& layout, int slot) {
  return static_cast<std::int64_t>(description_bytes) + slot * slot_pages(layout) * record_page;
}

std::int64_t journal_offset(const DiskLayout& layout) { return slot_offset(layout, 2); }

std::int64_t journal_pages(const DiskDescription& description) {
  // As long as a slot: so a page that is written to it costs at most another one when it is folded.
  // Where a slot is a page there is nothing to save.
  return description.version < 2 ? 0 : slot_pages(description.layout) - 1;
}

std::int64_t block_pages(std::uint64_t changes) {
  return static_cast<std::int64_t>(commit_header_bytes + change_bytes * changes - 1) / record_page +
         1;
}

std::int64_t record_bytes(const DiskDescription& description) {
  const DiskLayout& layout = description.layout;
  if (description.version < 2)
    return slot_offset(layout, 1) + static_cast<std::int64_t>(commit_header_bytes) +
           4 * layout.tiles;
  return journal_offset(layout) + journal_pages(description) * record_page;
}

}  // namespace lagoon::atoll::detail
