// Parts of distributed vectors in memory of one's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "array/description.hpp"
#include "atoll/array.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

/// Else Error(value). `length` is said to come from what `reason` tells; below zero any will do.
inline void check_vector(const AnyArray& v, std::int64_t length = -1,
                         const std::string& reason = {}) {
  if (v.dimensions() == 1 && (length < 0 || v.shape()[0] == length)) return;
  throw Error(ErrorKind::value, description(v) + " has shape " + v.shape().to_string() +
                                    "; expected a vector" +
                                    (length < 0 ? "" : " of " + std::to_string(length) + reason));
}

/// My stretch of a patch that is dealt out in equal ones.
struct Stretch {
  std::int64_t first, last;
  std::size_t size() const noexcept { return static_cast<std::size_t>(last - first); }
  Patch patch() const { return {{first}, {last}, {}}; }
};
inline Stretch stretch_of(const Patch& patch, const Group& group) {
  const std::int64_t begin = patch.lo[0], length = std::max<std::int64_t>(0, patch.hi[0] - begin);
  const std::int64_t ranks = group.size(), rank = group.rank();
  const std::int64_t each = length / ranks, more = length % ranks;
  const std::int64_t first = begin + rank * each + std::min(rank, more);
  return {first, first + each + (rank < more ? 1 : 0)};
}

/// Elements [first, last) of a vector of this type.
template <Element T>
std::vector<T> fetch_elements(const AnyArray& v, std::int64_t first, std::int64_t last) {
  std::vector<T> values(static_cast<std::size_t>(last - first));
  if (!values.empty()) v.get(Patch{{first}, {last}, {}}, values.data());
  return values;
}

}  // namespace lagoon::atoll::detail
