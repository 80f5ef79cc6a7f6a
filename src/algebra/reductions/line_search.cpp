// Steps until a bound is met: every rank finds the least and the largest of its own, the group
// those of all.
#include "atoll/line_search.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "algebra/core/operands.hpp"
#include "atoll/error.hpp"
#include "world/arithmetic.hpp"

namespace lagoon::atoll {

namespace {

using detail::Views;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
concept Ordered = Element<T> && !detail::is_complex_type<T>;

/// The steps of some elements at which they meet their bounds.
class Steps {
 public:
  void add(double step) {
    if (std::isnan(step)) {
      any_nan_ = true;
      return;
    }
    least_ = std::min(least_, step);
    if (step > 0) least_positive_ = std::min(least_positive_, step);
    largest_ = std::max(largest_, step);
  }

  StepBounds over_ranks(const Group& group) const {
    // MPI's maximum says nothing of NaN, which therefore travels as a mark of its own.
    std::array<double, 4> all{-least_, -least_positive_, largest_, any_nan_ ? 1.0 : 0.0};
    group.reduce(std::span<double>(all), Reduction::maximum);
    if (all[3] != 0) return {nan, nan, nan};
    return {0 - all[0], 0 - all[1], all[2]};
  }

 private:
  double least_ = infinity, least_positive_ = infinity, largest_ = 0;
  bool any_nan_ = false;
};

/// (bound - x) / v
template <Ordered T>
double step_to(T bound, T x, T v) {
  return (static_cast<double>(bound) - static_cast<double>(x)) / static_cast<double>(v);
}

/// The frame of both calls: `count(steps, values)` with one element of each operand, for all.
template <std::size_t N, class Check, class Count>
StepBounds bounds_of(std::string_view operation, const Views<N>& operands, const Check& check,
                     const Count& count) {
  StepBounds result{};
  const auto validate = [&] { detail::check_not_complex(operands[0].array); };
  detail::reading(operation, operands, 0, validate, [&] {
    check();
    with_computed_type(operands[0].array.type(), [&]<class T>(T) {
      if constexpr (Ordered<T>) {
        Steps steps;
        detail::visit_operands<T>(operands, [&](std::int64_t elements, const auto& in) {
          std::array<T, N> values;
          for (std::int64_t i = 0; i < elements; ++i) {
            for (std::size_t n = 0; n < N; ++n) values[n] = in[n][i];
            count(steps, values);
          }
        });
        result = steps.over_ranks(operands[0].array.group());
      }
    });
  });
  return result;
}

/// Throws on all members when an element is negative.
void forbid_negatives(const View& x) {
  std::int64_t negative = 0;
  with_computed_type(x.array.type(), [&]<class T>(T) {
    if constexpr (Ordered<T>)
      detail::visit_own<T>(x, [&](const T* values, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) negative += values[i] < 0 ? 1 : 0;
      });
  });
  negative = x.array.group().reduce(negative);
  if (negative > 0)
    throw Error(ErrorKind::value, detail::text_of(x) + " holds " + std::to_string(negative) +
                                      " negative " + (negative == 1 ? "number" : "numbers") +
                                      "; steps are from where all are zero or more")
        .during("step_max");
}

}  // namespace

double step_max(const View& x, const View& v) {
  const auto count = []<class T>(Steps& steps, const std::array<T, 2>& values) {
    const auto [from, along] = values;
    if (along < 0 || detail::is_nan(along) || detail::is_nan(from))
      steps.add(step_to(T(0), from, along));
  };
  return bounds_of("step_max", Views<2>{x, v}, [&] { forbid_negatives(x); }, count).bound_min;
}

StepBounds step_bound_info(const View& x, const View& v, const View& lower, const View& upper) {
  const auto count = []<class T>(Steps& steps, const std::array<T, 4>& values) {
    const auto [from, along, low, high] = values;
    if (detail::is_nan(from) || along != 0) steps.add(step_to(along < 0 ? low : high, from, along));
  };
  return bounds_of("step_bound_info", Views<4>{x, v, lower, upper}, [] {}, count);
}

}  // namespace lagoon::atoll
