// A loop over what I own of an array, for functions that Atoll's algebra does not have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compat/ga/algebra/reshape.hpp"
#include "compat/ga/algebra/views.hpp"
#include "compat/ga/mask.hpp"

namespace lagoon::atoll::ga {

/// Elements of an operand that are fetched at a time, about.
inline constexpr std::int64_t combine_elements = std::int64_t{1} << 16;

/// c = f(a, b) for sections of one shape and of type T. Collective, with the synchronisation that
/// the mask leaves. Where a or b lies in c's array it is c's section, or has no element in common
/// with it.
template <Element T, class F>
void combine(const View& a, const View& b, const MutableView& c, const F& f, Mask mask = {}) {
  const Patch from_a = a.section(), from_b = b.section(), to = c.section();
  if (mask.first) c.array.group().sync();
  std::vector<T> x, y;
  const auto combine_part = [&](const Patch& part) {
    const auto same_part = [&](const Patch& other) {
      Patch result = part;
      for (int d = 0; d < part.dimensions(); ++d) {
        result.lo[d] += other.lo[d] - to.lo[d];
        result.hi[d] += other.lo[d] - to.lo[d];
      }
      return result;
    };
    x.resize(static_cast<std::size_t>(part.elements()));
    y.resize(x.size());
    a.array.get(same_part(from_a), x.data());
    b.array.get(same_part(from_b), y.data());
    std::ranges::transform(x, y, x.begin(), f);
    c.array.put(part, x.data());
  };
  for (const Patch& block : c.array.patches(c.array.group().rank())) {
    const Patch mine = intersection(block, to);
    if (mine.empty()) continue;
    const std::int64_t layer = mine.elements() / mine.shape()[0];
    const std::int64_t layers = std::max<std::int64_t>(1, combine_elements / layer);
    for (Patch part = mine; part.lo[0] < mine.hi[0]; part.lo[0] += layers) {
      part.hi[0] = std::min(part.lo[0] + layers, mine.hi[0]);
      combine_part(part);
    }
  }
  if (mask.last) c.array.group().sync();
}

/// a = f(a) where it lies, for a section of type T. Collective, with the synchronisation that the
/// mask leaves.
template <Element T, class F>
void change(const MutableView& a, const F& f, Mask mask) {
  const Patch section = a.section();
  if (mask.first) a.array.group().sync();
  for (const LocalBlock& block : a.array.blocks(a.array.group().rank())) {
    const Patch mine = intersection(block.patch, section);
    if (mine.empty()) continue;
    Index rows = mine.shape();  // the last dimension is contiguous
    const std::int64_t row = rows[rows.size() - 1];
    rows[rows.size() - 1] = 1;
    for (std::int64_t r = 0; r < rows.product(); ++r) {
      const Index at = unravelled(r, rows);
      std::int64_t offset = 0;
      for (int d = 0; d < at.size(); ++d)
        offset += (mine.lo[d] - block.patch.lo[d] + at[d]) * block.strides[d];
      T* const first = static_cast<T*>(block.data) + offset;
      std::transform(first, first + row, first, f);
    }
  }
  if (mask.last) a.array.group().sync();
}

}  // namespace lagoon::atoll::ga
