// Geometry of patch algebra: the patches of one rank with their place in its memory, the part of a
// stepped section inside a patch, and cutting a section into chunks of bounded size.
//
// "Section coordinates" count the elements of a section: 0 is its first in that dimension.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "array/distribution/piece.hpp"
#include "atoll/distribution.hpp"
#include "atoll/index.hpp"

namespace lagoon::atoll::detail {

/// One block of a rank: where it lies in the array and in the rank's memory.
struct OwnedBlock {
  Patch patch;
  std::int64_t offset = 0;  ///< of its first element, in elements
  Index strides;            ///< in elements
};

/// Calls `f` for every non-empty block of `rank`, in block order. Unlike Distribution::patches it
/// needs no memory, however small and many the blocks are.
void for_each_owned_block(const Distribution& distribution, int rank,
                          const std::function<void(const OwnedBlock&)>& f);

/// A range of section coordinates: `first` inclusive, `last` exclusive.
struct Range {
  Index first;
  Index last;
  Index shape() const;
};

inline std::int64_t step_of(const Patch& section, int d) noexcept {
  return section.step.empty() ? 1 : section.step[d];
}

/// Finds the elements of `section` inside `block` (of step one); false when there are none.
bool section_in_block(const Patch& section, const Patch& block, Range& range);

/// The elements of `section` in a range of its coordinates, as a section of the array.
Patch subsection(const Patch& section, const Range& range);

/// Memory offset of the array position `at` inside `block`.
std::int64_t offset_in_block(const OwnedBlock& block, const Index& at) noexcept;

/// Whether two sections of one array have an element in common.
bool sections_overlap(const Patch& a, const Patch& b);

/// The shape of chunks with at most `most` elements (one at least): whole rows, or, to be read
/// along one dimension and written along another, about as long in the first dimension as in the
/// last.
Index row_chunk(const Index& shape, std::int64_t most);
Index square_chunk(const Index& shape, std::int64_t most);

/// Cuts `range` into chunks of that shape (less at the far ends), in row-major order.
template <class F>
void for_each_chunk(const Range& range, const Index& chunk, F&& f) {
  const int n = chunk.size();
  Index count = range.shape();
  for (int d = 0; d < n; ++d) {
    if (count[d] <= 0) return;
    count[d] = (count[d] - 1) / chunk[d] + 1;
  }
  Index turn = Index::filled(n, 0);
  Range part{range.first, range.last};
  do {
    for (int d = 0; d < n; ++d) {
      part.first[d] = range.first[d] + turn[d] * chunk[d];
      part.last[d] = std::min(part.first[d] + chunk[d], range.last[d]);
    }
    f(static_cast<const Range&>(part));
  } while (next_position(turn, count));
}

/// Calls `f(at)` with `at`, a position inside `shape` whose last coordinate is 0, for every row.
template <class F>
void for_each_row(const Index& shape, F&& f) {
  for (const std::int64_t extent : shape)
    if (extent <= 0) return;
  Index rows = shape;
  rows[shape.size() - 1] = 1;
  Index at = Index::filled(shape.size(), 0);
  do f(static_cast<const Index&>(at));
  while (next_position(at, rows));
}

inline std::int64_t dot_product(const Index& a, const Index& b) noexcept {
  std::int64_t sum = 0;
  for (int d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

}  // namespace lagoon::atoll::detail
