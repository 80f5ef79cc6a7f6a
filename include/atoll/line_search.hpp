// How far one may go from x along v until a bound is met. Collective, with the synchronisation of
// all algebra (algebra.hpp). Arrays of one shape and type, or patches of them, in any distribution;
// results are in double, whatever the type. Error(type) for complex arrays. NaN where a number that
// counts is NaN.
#pragma once

#include "atoll/algebra.hpp"

namespace lagoon::atoll {

/// The largest step with x + step v >= 0 everywhere: the least of x_i / -v_i over the v_i < 0,
/// infinity without any. Error(value) where x is negative.
double step_max(const View& x, const View& v);

/// Element i meets its bound at t_i = (upper_i - x_i) / v_i if v_i > 0, (lower_i - x_i) / v_i if
/// v_i < 0, and never if v_i is zero. Below zero where x_i is beyond that bound already.
struct StepBounds {
  double bound_min;  ///< the least t_i; infinity without any
  double wolfe_min;  ///< the least t_i > 0; infinity without any
  double bound_max;  ///< the largest t_i, from which on no element is inside; at least zero
};
StepBounds step_bound_info(const View& x, const View& v, const View& lower, const View& upper);

}  // namespace lagoon::atoll
