// Blocks of a rank, sections inside blocks, chunk shapes.
#include "algebra/core/sections.hpp"

#include <algorithm>
#include <numeric>

namespace lagoon::atoll::detail {

namespace {

/// ceil(a / b) for b > 0.
std::int64_t divide_up(std::int64_t a, std::int64_t b) noexcept {
  return a > 0 ? (a - 1) / b + 1 : -(-a / b);
}

/// Where the block that begins at `lo` begins in its rank's dense matrix.
Index corner_in_matrix(const Distribution& distribution, const Index& lo) {
  const Index &grid = distribution.grid(), &size = distribution.block();
  Index corner = lo;
  for (int d = 0; d < lo.size(); ++d) corner[d] = lo[d] / size[d] / grid[d] * size[d];
  return corner;
}

/// Whether two progressions meet: `lo + i * step < hi`.
bool progressions_meet(std::int64_t lo_a, std::int64_t hi_a, std::int64_t step_a, std::int64_t lo_b,
                       std::int64_t hi_b, std::int64_t step_b) {
  if (step_a < step_b) {
    std::swap(lo_a, lo_b);
    std::swap(hi_a, hi_b);
    std::swap(step_a, step_b);
  }
  const std::int64_t lo = std::max(lo_a, lo_b), hi = std::min(hi_a, hi_b);
  // The distances from a's elements to b's repeat after step_b / gcd elements.
  const std::int64_t tries = step_b / std::gcd(step_a, step_b);
  std::int64_t x = lo_a + divide_up(lo - lo_a, step_a) * step_a;
  for (std::int64_t i = 0; i < tries && x < hi; ++i, x += step_a)
    if ((x - lo_b) % step_b == 0) return true;
  return false;
}

}  // namespace

void for_each_owned_block(const Distribution& distribution, int rank,
                          const std::function<void(const OwnedBlock&)>& f) {
  OwnedBlock block;
  if (!distribution.dense_in_memory()) {  // one behind the other
    distribution.for_each_patch(rank, [&](const Patch& patch) {
      const Index extent = patch.shape();
      block.patch = patch;
      block.strides = packed_strides(extent);
      f(block);
      block.offset += extent.product();
    });
    return;
  }
  block.strides = packed_strides(distribution.memory_shape(rank));
  distribution.for_each_patch(rank, [&](const Patch& patch) {
    block.patch = patch;
    block.offset =
        dot_product(distribution.one_block_a_rank() ? distribution.halo()
                                                    : corner_in_matrix(distribution, patch.lo),
                    block.strides);
    f(block);
  });
}

Index Range::shape() const {
  Index shape = first;
  for (int d = 0; d < first.size(); ++d) shape[d] = last[d] - first[d];
  return shape;
}

bool section_in_block(const Patch& section, const Patch& block, Range& range) {
  range.first = range.last = section.shape();
  for (int d = 0; d < section.lo.size(); ++d) {
    const std::int64_t step = step_of(section, d), count = range.last[d];
    range.first[d] = std::max<std::int64_t>(0, divide_up(block.lo[d] - section.lo[d], step));
    range.last[d] = std::min(count, divide_up(block.hi[d] - section.lo[d], step));
    if (range.first[d] >= range.last[d]) return false;
  }
  return true;
}

Patch subsection(const Patch& section, const Range& range) {
  Patch part = section;
  for (int d = 0; d < section.lo.size(); ++d) {
    const std::int64_t step = step_of(section, d);
    part.lo[d] = section.lo[d] + range.first[d] * step;
    part.hi[d] = range.last[d] > range.first[d] ? section.lo[d] + (range.last[d] - 1) * step + 1
                                                : part.lo[d];
  }
  return part;
}

std::int64_t offset_in_block(const OwnedBlock& block, const Index& at) noexcept {
  std::int64_t offset = block.offset;
  for (int d = 0; d < at.size(); ++d) offset += (at[d] - block.patch.lo[d]) * block.strides[d];
  return offset;
}

bool sections_overlap(const Patch& a, const Patch& b) {
  if (a.empty() || b.empty()) return false;
  for (int d = 0; d < a.lo.size(); ++d)
    if (!progressions_meet(a.lo[d], a.hi[d], step_of(a, d), b.lo[d], b.hi[d], step_of(b, d)))
      return false;
  return true;
}

Index row_chunk(const Index& shape, std::int64_t most) {
  Index chunk = Index::filled(shape.size(), 1);
  std::int64_t left = std::max<std::int64_t>(1, most);
  for (int d = shape.size() - 1; d >= 0; --d) {
    chunk[d] = std::clamp<std::int64_t>(left, 1, std::max<std::int64_t>(1, shape[d]));
    left /= chunk[d];
    if (chunk[d] < shape[d]) break;
  }
  return chunk;
}

Index square_chunk(const Index& shape, std::int64_t most) {
  const int last = shape.size() - 1;
  if (last == 0) return row_chunk(shape, most);
  Index chunk = Index::filled(shape.size(), 1);
  std::int64_t volume = 1;
  const auto grow = [&](int d) {
    if (chunk[d] >= shape[d]) return false;
    const std::int64_t wanted = std::min(2 * chunk[d], shape[d]);
    if (volume / chunk[d] * wanted > most) return false;
    volume = volume / chunk[d] * wanted;
    chunk[d] = wanted;
    return true;
  };
  for (bool grown = true; grown;) {
    grown = grow(last);
    if (grow(0)) grown = true;
  }
  for (int d = last - 1; d > 0; --d)
    while (grow(d)) {
    }
  return chunk;
}

}  // namespace lagoon::atoll::detail
