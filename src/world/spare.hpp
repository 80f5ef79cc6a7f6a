// Memory that something can do without, for a while.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace lagoon::atoll::detail {

/// Whether the next element comes without fail: makes room for some where there is memory.
template <class T>
bool has_place_for_one(std::vector<T>& some) noexcept {
  constexpr std::size_t least = 8;
  if (some.size() < some.capacity()) return true;
  try {
    some.reserve(std::max(least, 2 * some.size()));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

}  // namespace lagoon::atoll::detail
