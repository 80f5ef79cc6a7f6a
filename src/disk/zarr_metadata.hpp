// What Zarr wants to find: zarr.json, which makes the whole array one shard, and the index of the
// shard, which says where its chunks (our tiles) lie (Zarr core specification 3.1; sharding
// codec 1.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "disk/disk_layout.hpp"

namespace lagoon::atoll::detail {

std::string zarr_json(const DiskLayout& layout);
/// The bytes at the start of the file: offset and length of each tile, and a CRC-32C.
std::vector<std::byte> zarr_index(const DiskLayout& layout);
/// The same part by part, in order, each with its offset, until a step says false: what the last
/// one said. Arrays of millions of tiles have an index that nobody wants to hold.
using IndexStep = std::function<bool(std::int64_t, std::span<const std::byte>)>;
bool for_each_part_of_index(const DiskLayout& layout, const IndexStep& step);
/// The shard's place below the folder of the array: "c/0/0".
std::string zarr_key(const DiskLayout& layout);

}  // namespace lagoon::atoll::detail
