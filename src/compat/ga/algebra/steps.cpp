#include "compat/ga/algebra/steps.hpp"

#include <string>
#include <type_traits>

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "atoll/line_search.hpp"

namespace lagoon::atoll::ga {

namespace {

void store_step(double step, ElementType type, void* out) {
  with_datatype(type, [&]<class T>(T) {
    if constexpr (std::is_arithmetic_v<T>)
      *static_cast<T*>(out) =
          step < static_cast<double>(endless<T>()) ? static_cast<T>(step) : endless<T>();
  });
}

bool has_zero(const View& a) {
  if (a.section().empty()) return false;
  AnyArray moduli(a.array.group(), a.shape(), a.array.type(), {.zero = false});
  absolute(a, moduli);
  return minimum_element(moduli).value.as<double>() == 0;
}

}  // namespace

void largest_step(const View& x, const View& direction, void* step) {
  store_step(step_max(x, direction), x.array.type(), step);
}

void step_bounds(const View& x, const View& direction, const View& lower, const View& upper,
                 const BoundResults& results) {
  const ElementType type = x.array.type();
  const StepBounds bounds = step_bound_info(x, direction, lower, upper);
  if (bounds.bound_min < 0)
    throw Error(ErrorKind::value, "an element of '" + x.array.name() +
                                      "' lies beyond its bound already, by a step of " +
                                      std::to_string(-bounds.bound_min));
  store_step(bounds.bound_min, type, results.bound_min);
  // GA counts elements that are on their bound; Atoll does not.
  store_step(bounds.bound_min, type, results.wolfe_min);
  const bool rests = has_zero(direction);
  const double endless_step = std::numeric_limits<double>::infinity();
  store_step(rests ? endless_step : bounds.bound_max, type, results.bound_max);
}

}  // namespace lagoon::atoll::ga
