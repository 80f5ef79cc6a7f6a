// The bytes of the record.
#include "disk/disk_record.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/error.hpp"
#include "disk/byte_writer.hpp"
#include "disk/crc32c.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::string_view description_magic = "ATOLLDRA", commit_magic = "ATOLLGEN";
constexpr std::uint64_t version = 1;
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
  writer.text(description_magic).u64(version).u64(static_cast<std::uint64_t>(layout.type));
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
  if (found_version != version || type >= element_types || dimensions < 1 ||
      dimensions > max_dimensions)
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
                          static_cast<std::int64_t>(nodes), static_cast<std::int64_t>(node)};
    // Nor is there anything else in it.
    const std::vector<std::byte> expected = encode(found);
    if (!std::equal(expected.begin(), expected.end(), bytes.begin())) return std::nullopt;
    return found;
  } catch (const Error&) {
    return std::nullopt;  // extents that no file can hold
  }
}

std::optional<std::uint64_t> generation_of(std::span<const std::byte> header) {
  const auto content = checked(header, commit_header_bytes);
  if (!content || !begins_with(*content, commit_magic)) return std::nullopt;
  return ByteReader(content->subspan(commit_magic.size())).u64();
}

std::int64_t slot_offset(const DiskLayout& layout, int slot) {
  constexpr std::int64_t page = 4096;
  const std::int64_t bytes = static_cast<std::int64_t>(commit_header_bytes) + 4 * layout.tiles;
  return static_cast<std::int64_t>(description_bytes) + slot * ((bytes - 1) / page + 1) * page;
}

std::vector<std::byte> encode(const DiskCommit& commit) {
  ByteWriter table, header;
  for (const std::uint32_t checksum : commit.checksums) table.u32(checksum);
  header.text(commit_magic).u64(commit.generation).u64(commit.checksums.size());
  header.u32(crc32c(table.bytes())).pad_to(commit_header_bytes - 4).u32(crc32c(header.bytes()));
  header.append(table.bytes());
  return header.bytes();
}

std::optional<DiskCommit> decode_commit(const DiskLayout& layout,
                                        std::span<const std::byte> bytes) {
  const auto content = checked(bytes, commit_header_bytes);
  if (!content || !begins_with(*content, commit_magic)) return std::nullopt;
  ByteReader header(content->subspan(commit_magic.size()));
  DiskCommit commit{header.u64(), {}};
  const std::uint64_t tiles = header.u64();
  const std::uint32_t table_checksum = header.u32();
  if (tiles != static_cast<std::uint64_t>(layout.tiles)) return std::nullopt;
  const auto table = bytes.subspan(commit_header_bytes);
  if (table.size() / 4 < tiles || crc32c(table.first(4 * tiles)) != table_checksum)
    return std::nullopt;
  ByteReader reader(table);
  for (std::uint64_t tile = 0; tile < tiles; ++tile) commit.checksums.push_back(reader.u32());
  return commit;
}

}  // namespace lagoon::atoll::detail
