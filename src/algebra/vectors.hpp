// Parts of distributed vectors in memory of one's own.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/array.hpp"

namespace lagoon::atoll::detail {

/// Elements [first, last) of a vector of this type.
template <Element T>
std::vector<T> fetch_elements(const AnyArray& v, std::int64_t first, std::int64_t last) {
  std::vector<T> values(static_cast<std::size_t>(last - first));
  if (!values.empty()) v.get(Patch{{first}, {last}, {}}, values.data());
  return values;
}

}  // namespace lagoon::atoll::detail
