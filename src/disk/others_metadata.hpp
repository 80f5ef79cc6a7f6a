// What other programs have made of a disk array's metadata: HDF5's, which libhdf5 changes when an
// attribute is added, zarr.json with attributes, and shards that Zarr has put in the place of
// Atoll's file. These are in order as long as they still describe the tiles (HDF5 File Format
// Specification Version 3.0, sections II.A and IV.A.1; Zarr core specification 3.1).
#pragma once

#include <span>
#include <string_view>

#include "disk/disk_layout.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

/// Whether libhdf5 finds the dataset of this `skeleton` in the file, by HDF5's own checksums,
/// beside whatever else others have put there.
bool hdf5_has_dataset(const OpenFile& file, const DiskLayout& layout,
                      std::span<const std::byte> skeleton);

/// What the place of Zarr's index holds.
enum class IndexKind {
  atolls,  ///< what was written
  others,  ///< that of a shard of others, by its checksum
  none
};
IndexKind index_kind(const OpenFile& file, const DiskLayout& layout);

/// What a zarr.json is, beside what Atoll would write.
enum class JsonKind {
  same,     ///< the same array, perhaps with attributes and names of dimensions
  another,  ///< another array
  none      ///< no JSON at all
};
JsonKind json_kind(std::string_view found, std::string_view expected);

}  // namespace lagoon::atoll::detail
