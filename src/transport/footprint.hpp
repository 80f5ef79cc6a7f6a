// Footprint: the bytes of an owner's block that an operation touches.
#pragma once

#include "transport/segment.hpp"
#include "transport/strided.hpp"

namespace lagoon::atoll::detail {

struct Footprint {
  SegmentNumber segment;
  std::int32_t owner = 0;
  std::int64_t offset = 0;  // of the first element
  Runs runs;

  /// Whether the two share a byte. Exact for patches of one array, sections with steps included;
  /// may say so wrongly where strides do not fit each other.
  bool overlaps(const Footprint& other) const noexcept;
};

}  // namespace lagoon::atoll::detail
