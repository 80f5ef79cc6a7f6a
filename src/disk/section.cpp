// Arithmetic of tiles and sections.
#include "disk/section.hpp"

#include <algorithm>

namespace lagoon::atoll::detail {

Section::Section(const DiskLayout& layout, const Patch& patch, const Patch& array_patch,
                 bool transposed)
    : layout_(layout),
      patch_(patch),
      array_patch_(array_patch),
      transposed_(transposed),
      places_{patch.lo, patch.hi, {}} {
  for (int d = 0; d < patch.lo.size(); ++d) {
    places_.lo[d] = patch.lo[d] / layout.tile[d];
    places_.hi[d] =
        patch.hi[d] > patch.lo[d] ? (patch.hi[d] - 1) / layout.tile[d] + 1 : places_.lo[d];
  }
  tiles_ = places_.elements();
}

bool Section::meets(const Section& other) const {
  return !intersection(places_, other.places_).empty();
}

std::int64_t Section::tile(std::int64_t i) const {
  Index place = places_.lo;
  for (int d = place.size() - 1; d >= 0; --d) {
    const std::int64_t extent = places_.hi[d] - places_.lo[d];
    place[d] += i % extent;
    i /= extent;
  }
  return layout_.number_of(place);
}

Patch Section::region(std::int64_t tile) const {
  return intersection(layout_.patch_of(tile), patch_);
}

bool Section::covers(std::int64_t tile) const {
  const Patch moved = region(tile), all = layout_.patch_of(tile);
  return moved.lo == all.lo && moved.hi == all.hi;
}

Patch Section::array_region(const Patch& region) const {
  Patch result = array_patch_;
  const int dimensions = region.lo.size();
  for (int d = 0; d < dimensions; ++d) {
    const int e = transposed_ ? dimensions - 1 - d : d;
    result.lo[e] = array_patch_.lo[e] + region.lo[d] - patch_.lo[d];
    result.hi[e] = array_patch_.lo[e] + region.hi[d] - patch_.lo[d];
  }
  return result;
}

std::int64_t Section::buffer_offset(std::int64_t tile, const Patch& region) const {
  const Index strides = packed_strides(layout_.tile);
  const Patch all = layout_.patch_of(tile);
  std::int64_t offset = 0;
  for (int d = 0; d < strides.size(); ++d) offset += (region.lo[d] - all.lo[d]) * strides[d];
  return offset;
}

Index Section::buffer_strides() const {
  Index strides = packed_strides(layout_.tile);
  if (transposed_) std::reverse(strides.begin(), strides.end());
  return strides;
}

}  // namespace lagoon::atoll::detail
