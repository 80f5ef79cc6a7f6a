// DiskRecord: the bytes of the small checked file beside a disk array that says what it is and what
// its tiles should hold (docs/disk-format.md): a description, two slots that are written in turn,
// and a journal of what has changed since the newer one. What is read from disk is not believed
// until its checksum, and every number in it, is in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "disk/disk_layout.hpp"

namespace lagoon::atoll::detail {

inline constexpr std::size_t description_bytes = 4096;
inline constexpr std::size_t most_name_bytes = 200;
/// Of version 1 are records without a journal.
inline constexpr std::uint64_t record_version = 2;

/// One link in HDF5's root group.
bool is_dataset_name(const std::string& name) noexcept;

/// What never changes.
struct DiskDescription {
  DiskLayout layout;
  std::string name;        ///< HDF5's of the dataset
  std::int64_t nodes = 0;  ///< 0: all tiles are in one file; else so many files have a part each
  std::int64_t node = 0;   ///< which part this one has
  std::uint64_t version = record_version;

  /// The tiles [first, last) that lie in this file.
  std::pair<std::int64_t, std::int64_t> tiles_here() const;
};

/// The `part`-th of `parts` runs of [0, count), equal but for one.
std::pair<std::int64_t, std::int64_t> run_of(std::int64_t count, std::int64_t part,
                                             std::int64_t parts);

/// Exactly `description_bytes`.
std::vector<std::byte> encode(const DiskDescription& description);
/// Nothing unless every part of it is in order.
std::optional<DiskDescription> decode_description(std::span<const std::byte> bytes);

/// The version that a description says it has, also one that nobody here knows; nothing where it is
/// none.
std::optional<std::uint64_t> version_of(std::span<const std::byte> bytes);

/// What the tiles hold after a commit.
struct DiskCommit {
  std::uint64_t generation;
  std::vector<std::uint32_t> checksums;  ///< CRC-32C, by tile
};

struct TileChecksum {
  std::int64_t tile;
  std::uint32_t checksum;
  friend bool operator==(const TileChecksum&, const TileChecksum&) = default;
};

/// What slots and blocks of the journal begin with; it holds the checksum of all that follows.
inline constexpr std::size_t commit_header_bytes = 64;

struct SlotHeader {
  std::uint64_t generation;
  std::uint32_t table_checksum;
  friend bool operator==(const SlotHeader&, const SlotHeader&) = default;
};
/// Nothing unless it is in order.
std::optional<SlotHeader> decode_slot_header(std::span<const std::byte> header);
std::vector<std::byte> encode(const DiskCommit& commit);
std::optional<DiskCommit> decode_commit(const DiskLayout& layout, std::span<const std::byte> bytes);

/// A commit of few tiles. Blocks begin at pages of their own: writing one touches no other.
struct JournalBlock {
  SlotHeader base;           ///< of the slot that the journal goes on from: else it counts no more
  std::uint64_t generation;  ///< the base's, and so many
  std::vector<TileChecksum> changes;
};
/// What its first 64 bytes say.
struct JournalHeader {
  SlotHeader base;
  std::uint64_t generation, changes;
  std::uint32_t changes_checksum;
};
/// Nothing unless it is in order.
std::optional<JournalHeader> decode_journal_header(const DiskLayout& layout,
                                                   std::span<const std::byte> header);
std::vector<std::byte> encode(const JournalBlock& block);
std::optional<JournalBlock> decode_block(const DiskLayout& layout,
                                         std::span<const std::byte> bytes);

// Where they lie in the record.
inline constexpr std::int64_t record_page = 4096;
std::int64_t slot_pages(const DiskLayout& layout);
std::int64_t slot_offset(const DiskLayout& layout, int slot);
std::int64_t journal_offset(const DiskLayout& layout);
std::int64_t journal_pages(const DiskDescription& description);
/// Of a block with so many changes.
std::int64_t block_pages(std::uint64_t changes);
/// Of the whole record, at least.
std::int64_t record_bytes(const DiskDescription& description);

}  // namespace lagoon::atoll::detail
