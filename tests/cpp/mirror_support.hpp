// Contents of mirrored arrays for the tests: functions of node and position, so that every rank
// knows what all nodes have.
#pragma once

#include <functional>
#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {

inline const ArrayOptions mirrored{.name = "m", .mirrored = true};

/// What node `node` puts at a position: small integers, so that sums are exact.
template <Element T>
T value_of(int node, std::int64_t linear) {
  return number<T>((linear * 7 + node * 31) % 101 - 50);
}

/// `part(node)` combined as a merge does: the larger power of two of the nodes, the rest, both.
template <class F, class Combine>
decltype(std::declval<F>()(0)) combined(int first, int last, const F& part,
                                        const Combine& combine) {
  if (last - first == 1) return part(first);
  int half = 1;
  while (2 * half < last - first) half *= 2;
  return combine(combined(first, first + half, part, combine),
                 combined(first + half, last, part, combine));
}
template <class F>
double sum_of_nodes(const F& part) {
  return combined(0, world().nodes(), part, std::plus<double>());
}

template <Element T>
std::vector<T> copy_of(int node, const Index& shape) {
  std::vector<T> values(static_cast<std::size_t>(shape.product()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = value_of<T>(node, static_cast<std::int64_t>(i));
  return values;
}

/// Each rank of the node puts a part of the patch, rows dealt out in turn; then the node syncs.
template <Element T>
void put_shared(Array<T>& array, const Patch& patch, const std::vector<T>& values) {
  const Index strides = packed_strides(array.shape());
  for (std::int64_t row = patch.lo[0]; row < patch.hi[0]; ++row) {
    if (row % array.group().size() != array.group().rank()) continue;
    Patch part = patch;
    part.lo[0] = row;
    part.hi[0] = row + 1;
    std::int64_t offset = 0;
    for (int d = 0; d < strides.size(); ++d) offset += part.lo[d] * strides[d];
    array.put(part, values.data() + offset, strides);
  }
  array.group().sync();
}

template <Element T>
void put_shared(Array<T>& array, const std::vector<T>& values) {
  put_shared(array, whole(array.shape()), values);
}

}  // namespace lagoon::atoll::test
