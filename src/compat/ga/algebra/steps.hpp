// How far one may go until a bound is met (atoll/line_search.hpp), with GA's numbers for "as far as
// one likes". Collective.
#pragma once

#include <concepts>
#include <limits>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// What GA takes for infinity, by type; measured.
template <class T>
constexpr T endless() {
  if constexpr (std::same_as<T, double>) return 1e307;
  if constexpr (std::same_as<T, float>) return 1e37F;
  return std::numeric_limits<T>::max();
}

/// Writes a number of the arrays' type.
void largest_step(const View& x, const View& direction, void* step);

struct BoundResults {
  void *bound_min, *wolfe_min, *bound_max;  ///< numbers of the arrays' type
};
/// Error(value) where x lies beyond the bound that it heads for. An element that does not move
/// makes the largest step endless.
void step_bounds(const View& x, const View& direction, const View& lower, const View& upper,
                 const BoundResults& results);

}  // namespace lagoon::atoll::ga
