// A loop over what I own of an array, for functions that Atoll's algebra does not have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// Elements of an operand that are fetched at a time, about.
inline constexpr std::int64_t combine_elements = std::int64_t{1} << 16;

/// c = f(a, b) for sections of one shape and of type T. Collective, with synchronisation. Where a
/// or b lies in c's array it is c's section, or has no element in common with it.
template <Element T, class F>
void combine(const View& a, const View& b, const MutableView& c, const F& f) {
  const Patch from_a = a.section(), from_b = b.section(), to = c.section();
  c.array.group().sync();
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
  c.array.group().sync();
}

}  // namespace lagoon::atoll::ga
