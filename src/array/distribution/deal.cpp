// Deal: from the last dimension to the first, what slabs hold; and the elements before a block.
#include "array/distribution/deal.hpp"

#include <algorithm>
#include <numeric>

namespace lagoon::atoll::detail {

Deal::Deal(const Index& shape, const Index& block, int ranks)
    : ranks_(ranks), grid_(shape), axes_(static_cast<std::size_t>(shape.size())) {
  // One block holds one element of thickness one in every dimension.
  std::vector<std::int64_t> inside(static_cast<std::size_t>(ranks), 0);
  inside[0] = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    grid_[d] = shape[d] == 0 ? 0 : (shape[d] - 1) / block[d] + 1;
    Axis& axis = axes_[static_cast<std::size_t>(d)];
    axis.block = std::min(block[d], std::max<std::int64_t>(shape[d], 1));  // products stay small
    axis.blocks = grid_[d];
    axis.last = shape[d] - (grid_[d] - 1) * axis.block;
    axis.numbers = blocks_;
    axis.fall = blocks_ % ranks_;
    walk_cycles(axis, inside);
    blocks_ *= grid_[d];
    if (d > 0)
      for (std::int64_t r = 0; r < ranks; ++r)
        inside[static_cast<std::size_t>(r)] = inside_slabs(axis, r);
  }
}

void Deal::walk_cycles(Axis& axis, const std::vector<std::int64_t>& inside) const {
  axis.cycles = std::gcd(ranks_, axis.numbers);
  axis.cycle = ranks_ / axis.cycles;
  axis.at.assign(inside.size(), 0);
  axis.along.assign(inside.size(), 0);
  axis.whole.assign(static_cast<std::size_t>(axis.cycles), 0);
  for (std::int64_t first = 0; first < axis.cycles; ++first) {
    std::int64_t sum = 0, r = first;
    for (std::int64_t i = 0; i < axis.cycle; ++i) {
      axis.at[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(i);
      axis.along[static_cast<std::size_t>(r)] = sum;
      sum += inside[static_cast<std::size_t>(r)];
      r -= r < axis.fall ? axis.fall - ranks_ : axis.fall;
    }
    axis.whole[static_cast<std::size_t>(first)] = sum;
  }
}

std::int64_t Deal::inside(const Axis& axis, std::int64_t r) const noexcept {
  const std::int64_t next = step(axis, r, 1);
  const std::int64_t after = next < axis.cycles ? axis.whole[static_cast<std::size_t>(next)]
                                                : axis.along[static_cast<std::size_t>(next)];
  return after - axis.along[static_cast<std::size_t>(r)];
}

std::int64_t Deal::inside_slabs(const Axis& axis, std::int64_t r) const noexcept {
  if (axis.blocks == 0) return 0;
  const std::int64_t end = step(axis, r, axis.blocks - 1);
  return axis.block * slabs(axis, r, end, axis.blocks - 1) + axis.last * inside(axis, end);
}

std::int64_t Deal::step(const Axis& axis, std::int64_t r, std::int64_t count) const noexcept {
  const std::int64_t there = (r - count % axis.cycle * axis.fall) % ranks_;
  return there < 0 ? there + ranks_ : there;
}

std::int64_t Deal::slabs(const Axis& axis, std::int64_t r, std::int64_t end,
                         std::int64_t count) noexcept {
  const auto from = static_cast<std::size_t>(r), to = static_cast<std::size_t>(end);
  const std::int64_t turns = count / axis.cycle + (axis.at[to] < axis.at[from] ? 1 : 0);
  const std::int64_t part = axis.along[to] - axis.along[from];
  return turns == 0 ? part : turns * axis.whole[static_cast<std::size_t>(r % axis.cycles)] + part;
}

std::int64_t Deal::number(const Index& block) const noexcept {
  std::int64_t number = 0;
  for (int d = 0; d < block.size(); ++d) number = number * grid_[d] + block[d];
  return number;
}

std::int64_t Deal::elements_before(const Index& block) const noexcept {
  std::int64_t r = rank(block), thickness = 1, before = 0;
  for (int d = 0; d < block.size(); ++d) {
    const Axis& axis = axes_[static_cast<std::size_t>(d)];
    const std::int64_t end = step(axis, r, block[d]);
    before += thickness * axis.block * slabs(axis, r, end, block[d]);
    r = end;
    thickness *= block[d] + 1 < grid_[d] ? axis.block : axis.last;
  }
  return before;
}

}  // namespace lagoon::atoll::detail
