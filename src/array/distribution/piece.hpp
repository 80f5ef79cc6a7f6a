// Cutting a section into the pieces that lie in one rank's memory with constant strides.
#pragma once

#include <algorithm>

#include "array/distribution/deal.hpp"
#include "atoll/distribution.hpp"

namespace lagoon::atoll {

template <class F>
void Distribution::for_each_patch(int rank, F&& f) const {
  if (local_elements(rank) == 0) return;
  if (by_number()) {
    deal_->for_each_block(rank, [&](const Index& block) { f(patch_of(block)); });
    return;
  }
  const Index corner = coordinates(rank);
  Index count = corner, block = corner;
  for (int d = 0; d < shape_.size(); ++d) count[d] = turns(d, corner[d]);
  Index turn = Index::filled(shape_.size(), 0);
  do {
    for (int d = 0; d < shape_.size(); ++d) block[d] = corner[d] + turn[d] * grid_[d];
    f(patch_of(block));
  } while (next_position(turn, count));
}

template <class F>
void Distribution::for_each_piece(const Patch& section, F&& f) const {
  if (section.empty()) return;
  const int n = shape_.size();
  const bool stepped = !section.step.empty();
  const Index shape = section.shape();
  Index first = shape, last = shape;
  for (int d = 0; d < n; ++d) {
    first[d] = block_of(d, section.lo[d]);
    last[d] = block_of(d, section.lo[d] + (shape[d] - 1) * (stepped ? section.step[d] : 1));
  }
  Index block = first, start = first;
  Piece piece{0, 0, shape, shape, shape};
  for (;;) {
    bool hit = true;
    for (int d = 0; d < n && hit; ++d) {
      const std::int64_t step = stepped ? section.step[d] : 1;
      const std::int64_t lo = std::max(section.lo[d], block_start(d, block[d]));
      const std::int64_t hi = std::min(section.hi[d], block_end(d, block[d]));
      const std::int64_t skipped = (lo - section.lo[d] + step - 1) / step;
      start[d] = section.lo[d] + skipped * step;
      piece.position[d] = skipped;
      piece.shape[d] = start[d] < hi ? (hi - start[d] - 1) / step + 1 : 0;
      hit = piece.shape[d] > 0;
    }
    if (hit) {
      place(block, start, piece);
      if (stepped)
        for (int d = 0; d < n; ++d) piece.strides[d] *= section.step[d];
      f(static_cast<const Piece&>(piece));
    }
    int d = n - 1;
    for (; d >= 0; --d) {
      if (++block[d] <= last[d]) break;
      block[d] = first[d];
    }
    if (d < 0) return;
  }
}

}  // namespace lagoon::atoll
