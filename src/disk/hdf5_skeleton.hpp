// What HDF5 wants to find in the file of a disk array: a superblock, a root group with one link,
// and a dataset of chunks whose index is implied by their order. It depends on the layout alone and
// never changes, so it is written once and checked byte for byte; no HDF5 is parsed (HDF5 File
// Format Specification Version 3.0, sections II.A, III, IV.A).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "disk/disk_layout.hpp"

namespace lagoon::atoll::detail {

/// The bytes at offset `layout.user_block`, at most a page. `name`: of the dataset, 1 to 200 bytes.
std::vector<std::byte> hdf5_skeleton(const DiskLayout& layout, std::string_view name);

/// HDF5's checksum of metadata (Jenkins, lookup3).
std::uint32_t lookup3(std::span<const std::byte> bytes) noexcept;

}  // namespace lagoon::atoll::detail
