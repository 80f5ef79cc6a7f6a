// What Zarr wants to find: zarr.json, which makes the whole array one shard, and the index of the
// shard, which says where its chunks (our tiles) lie (Zarr core specification 3.1; sharding
// codec 1.0).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "disk/disk_layout.hpp"

namespace lagoon::atoll::detail {

std::string zarr_json(const DiskLayout& layout);
/// The bytes at the start of the file: offset and length of each tile, and a CRC-32C.
std::vector<std::byte> zarr_index(const DiskLayout& layout);
/// The shard's place below the folder of the array: "c/0/0".
std::string zarr_key(const DiskLayout& layout);

}  // namespace lagoon::atoll::detail
