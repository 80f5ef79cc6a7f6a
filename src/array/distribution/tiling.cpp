// Tiling: choosing the tiles' extents.
#include "array/distribution/tiling.hpp"

namespace lagoon::atoll::detail {

Tiling::Tiling(const Index& shape, std::size_t element_bytes) : shape_(shape), grid_(shape) {
  const int n = shape.size();
  // Doublings go to the dimension where the tile is shortest, the last one first: rows of a tile
  // should be long.
  for (auto left = tile_bytes / static_cast<std::int64_t>(element_bytes); left > 1; left /= 2) {
    int shortest = -1;
    for (int d = n - 1; d >= 0; --d) {
      const int shift = shift_[static_cast<unsigned>(d)];
      if (std::int64_t{1} << shift >= shape[d]) continue;
      if (shortest < 0 || shift < shift_[static_cast<unsigned>(shortest)]) shortest = d;
    }
    if (shortest < 0) break;
    ++shift_[static_cast<unsigned>(shortest)];
  }
  tiles_ = 1;
  for (int d = n - 1; d >= 0; --d) {
    const int shift = shift_[static_cast<unsigned>(d)];
    grid_[d] = (shape[d] + (std::int64_t{1} << shift) - 1) >> shift;
    stride_[static_cast<unsigned>(d)] = tiles_;
    tiles_ *= grid_[d];
  }
}

Patch Tiling::patch(std::int64_t tile) const {
  Patch result{shape_, shape_, {}};
  for (int d = 0; d < shape_.size(); ++d) {
    const int shift = shift_[static_cast<unsigned>(d)];
    const std::int64_t at = tile / stride_[static_cast<unsigned>(d)];
    tile %= stride_[static_cast<unsigned>(d)];
    result.lo[d] = at << shift;
    result.hi[d] = std::min((at + 1) << shift, shape_[d]);
  }
  return result;
}

bool Tiling::covered(std::int64_t tile, const Patch& patch) const {
  const Patch whole = this->patch(tile);
  for (int d = 0; d < shape_.size(); ++d)
    if (whole.lo[d] < patch.lo[d] || whole.hi[d] > patch.hi[d] ||
        (!patch.step.empty() && patch.step[d] > 1 && whole.hi[d] - whole.lo[d] > 1))
      return false;
  return true;
}

bool Tiling::touches(const Patch& section, int d, std::int64_t t) const noexcept {
  const int shift = shift_[static_cast<unsigned>(d)];
  const std::int64_t step = section.step.empty() ? 1 : section.step[d];
  const std::int64_t low = std::max(t << shift, section.lo[d]);
  const std::int64_t high = std::min((t + 1) << shift, section.hi[d]);
  return section.lo[d] + (low - section.lo[d] + step - 1) / step * step < high;
}

}  // namespace lagoon::atoll::detail
