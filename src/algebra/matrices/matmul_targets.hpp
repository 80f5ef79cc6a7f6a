// Where a rank's part of a product lies in its memory of the result, as BLAS takes it.
#pragma once

#include <cstdint>
#include <vector>

#include "algebra/core/sections.hpp"
#include "algebra/matrices/blas.hpp"
#include "algebra/matrices/matmul_plan.hpp"
#include "algebra/matrices/matmul_step.hpp"
#include "array/array_state.hpp"

namespace lagoon::atoll::detail {

/// My memory of the result, by packed rows and columns of my part.
template <class T>
std::vector<Target<T>> own_targets(AnyArray& c, const Patch& c_patch, const MatmulPart& part) {
  c.state()->mark_own_written();
  const int me = c.group().rank();
  auto* const memory = reinterpret_cast<T*>(c.state()->block(me));
  const auto packed = [](const Extents& extents, std::int64_t position) {
    std::int64_t before = 0;
    for (const Extent& extent : extents) {
      if (position < extent.last) return before + position - extent.first;
      before += extent.size();
    }
    return before;
  };
  std::vector<Target<T>> targets;
  for_each_owned_block(c.distribution(), me, [&](const OwnedBlock& block) {
    const Patch mine = intersection(block.patch, c_patch);
    if (mine.empty()) return;
    const std::int64_t row = packed(part.rows, mine.lo[0] - c_patch.lo[0]);
    const std::int64_t column = packed(part.columns, mine.lo[1] - c_patch.lo[1]);
    T* const data = memory + offset_in_block(block, mine.lo);
    const Extent rows{row, row + mine.hi[0] - mine.lo[0]};
    const Extent columns{column, column + mine.hi[1] - mine.lo[1]};
    targets.push_back({rows, columns, data, block.strides[0]});
  });
  return targets;
}

/// The blocks of a block-cyclic array's rank are one matrix: BLAS takes them at once.
template <class T>
void join(std::vector<Target<T>>& targets, const MatmulPart& part) {
  if (targets.size() < 2) return;
  const Target<T>& first = targets.front();
  for (const Target<T>& t : targets)
    if (t.distance != first.distance ||
        t.data != first.data + (t.rows.first - first.rows.first) * first.distance +
                      (t.columns.first - first.columns.first))
      return;
  targets = {{{0, size_of(part.rows)}, {0, size_of(part.columns)}, first.data, first.distance}};
}

/// c_patch = beta c_patch, by the owners.
template <BlasElement T>
void scale_own(T beta, AnyArray& c, const Patch& c_patch) {
  if (beta == T(1)) return;
  for_each_owned_block(c.distribution(), c.group().rank(), [&](const OwnedBlock& block) {
    const Patch mine = intersection(block.patch, c_patch);
    if (mine.empty()) return;
    c.state()->mark_own_written();
    T* const data =
        reinterpret_cast<T*>(c.state()->block(c.group().rank())) + offset_in_block(block, mine.lo);
    gemm<T>(BlasForm::plain, BlasForm::plain, mine.hi[0] - mine.lo[0], mine.hi[1] - mine.lo[1], 0,
            T(1), nullptr, 1, nullptr, 1, beta, data, block.strides[0]);
  });
}

}  // namespace lagoon::atoll::detail
