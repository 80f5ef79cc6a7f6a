// Part: what a read wants of one tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "array/cache/node_cache.hpp"

namespace lagoon::atoll::detail {

struct NodeCache::Part {
  std::int64_t tile;
  Patch box;        // inside the tile; may have steps
  std::byte* side;  // where its first element goes
};

}  // namespace lagoon::atoll::detail
