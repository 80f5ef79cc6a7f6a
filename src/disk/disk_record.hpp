// DiskRecord: the small checked file beside a disk array that says what it is and what its tiles
// should hold (docs/disk-format.md). Two slots are written in turn: whatever happens, one of them
// is whole. What is read from disk is not believed until its checksum, and every number in it, is
// in order.
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

/// One link in HDF5's root group.
bool is_dataset_name(const std::string& name) noexcept;

/// What never changes.
struct DiskDescription {
  DiskLayout layout;
  std::string name;        ///< HDF5's of the dataset
  std::int64_t nodes = 0;  ///< 0: all tiles are in one file; else so many files have a part each
  std::int64_t node = 0;   ///< which part this one has

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

/// What the tiles hold after a commit.
struct DiskCommit {
  std::uint64_t generation;
  std::vector<std::uint32_t> checksums;  ///< CRC-32C, by tile
};

/// What a slot begins with: the number of the commit, and checksums of all that follows.
inline constexpr std::size_t commit_header_bytes = 64;
/// The number of the commit, if the header is in order.
std::optional<std::uint64_t> generation_of(std::span<const std::byte> header);

/// Where a slot lies in the record, 0 or 1, and its bytes.
std::int64_t slot_offset(const DiskLayout& layout, int slot);
std::vector<std::byte> encode(const DiskCommit& commit);
std::optional<DiskCommit> decode_commit(const DiskLayout& layout, std::span<const std::byte> bytes);

}  // namespace lagoon::atoll::detail
