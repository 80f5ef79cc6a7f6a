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
    axis.last = shape[d] - (grid_[d] - 1) * axis.block;
    axis.numbers = blocks_;
    axis.inside = std::move(inside);
    walk_cycles(axis);
    blocks_ *= grid_[d];
    inside.assign(static_cast<std::size_t>(ranks), 0);
    for (std::int64_t r = 0; r < ranks && grid_[d] > 0; ++r) {
      const std::int64_t end = step(axis, r, grid_[d] - 1);
      inside[static_cast<std::size_t>(r)] = axis.block * slabs(axis, r, grid_[d] - 1) +
                                            axis.last * axis.inside[static_cast<std::size_t>(end)];
    }
  }
  elements_ = std::move(inside);
}

void Deal::walk_cycles(Axis& axis) const {
  const auto size = axis.inside.size();
  axis.cycle = ranks_ / std::gcd(ranks_, axis.numbers);
  axis.at.assign(size, 0);
  axis.along.assign(size, 0);
  axis.whole.assign(size, 0);
  // The remainders below ranks / cycle lie in different cycles.
  for (std::int64_t first = 0; first < ranks_ / axis.cycle; ++first) {
    std::int64_t sum = 0, r = first;
    for (std::int64_t i = 0; i < axis.cycle; ++i, r = step(axis, r, 1)) {
      axis.at[static_cast<std::size_t>(r)] = i;
      axis.along[static_cast<std::size_t>(r)] = sum;
      sum += axis.inside[static_cast<std::size_t>(r)];
    }
    for (std::int64_t i = 0; i < axis.cycle; ++i, r = step(axis, r, 1))
      axis.whole[static_cast<std::size_t>(r)] = sum;
  }
}

std::int64_t Deal::step(const Axis& axis, std::int64_t r, std::int64_t count) const noexcept {
  const std::int64_t there = (r - count % axis.cycle * (axis.numbers % ranks_)) % ranks_;
  return there < 0 ? there + ranks_ : there;
}

std::int64_t Deal::slabs(const Axis& axis, std::int64_t r, std::int64_t count) const noexcept {
  const auto from = static_cast<std::size_t>(r),
             to = static_cast<std::size_t>(step(axis, r, count));
  const std::int64_t turns = count / axis.cycle + (axis.at[to] < axis.at[from] ? 1 : 0);
  return turns * axis.whole[from] + axis.along[to] - axis.along[from];
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
    before += thickness * axis.block * slabs(axis, r, block[d]);
    r = step(axis, r, block[d]);
    thickness *= block[d] + 1 < grid_[d] ? axis.block : axis.last;
  }
  return before;
}

}  // namespace lagoon::atoll::detail
