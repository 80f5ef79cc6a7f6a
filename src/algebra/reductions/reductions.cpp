// sum, dot and norm: each rank sums what it owns, the group sums the ranks' results.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <string_view>

#include "algebra/core/operands.hpp"
#include "algebra/core/sums.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "world/arithmetic.hpp"

namespace lagoon::atoll {

namespace {

using detail::absolute_value;
using detail::over_ranks;
using detail::Wide;
using detail::widened;

/// The parts of complex numbers as an array of real ones, as the standard allows.
template <class Real>
const Real* parts(const std::complex<Real>* x) {
  return reinterpret_cast<const Real*>(x);
}

template <Element T>
Wide<T> local_sum(const T* x, std::int64_t count) {
  if constexpr (detail::is_complex_type<T>) {
    const auto* part = parts(x);
    return detail::pairwise_complex_sum(count, [=](std::int64_t i) { return widened(part[i]); });
  } else {
    return detail::pairwise_sum(count, [=](std::int64_t i) { return widened(x[i]); });
  }
}

template <Element T>
Wide<T> local_dot(const T* x, const T* y, std::int64_t count) {
  if constexpr (detail::is_complex_type<T>)
    return detail::pairwise_sum(count, [=](std::int64_t i) {
      return detail::times(std::complex<double>(x[i]), std::complex<double>(y[i]));
    });
  else
    return detail::pairwise_sum(count,
                                [=](std::int64_t i) { return widened(x[i]) * widened(y[i]); });
}

template <Element T>
double norm_one(const View& a) {
  double local = 0;
  detail::visit_own<T>(a, [&](const T* x, std::int64_t count) {
    local += detail::pairwise_sum(count, [=](std::int64_t i) { return absolute_value(x[i]); });
  });
  return a.array.group().reduce(local);
}

template <Element T>
double norm_infinity(const View& a) {
  std::array<double, detail::lanes> lane{};
  detail::visit_own<T>(a, [&](const T* x, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + detail::lanes <= count; i += detail::lanes)
      for (std::size_t l = 0; l < lane.size(); ++l)
        lane[l] = detail::larger(lane[l], absolute_value(x[i + static_cast<std::int64_t>(l)]));
    for (; i < count; ++i) lane[0] = detail::larger(lane[0], absolute_value(x[i]));
  });
  for (const double value : lane) lane[0] = detail::larger(lane[0], value);
  // MPI's maximum says nothing of NaN, which therefore travels as a mark of its own.
  std::array<double, 2> largest_and_nan{lane[0], 0};
  if (std::isnan(lane[0])) largest_and_nan = {0, 1};
  a.array.group().reduce(std::span<double>(largest_and_nan), Reduction::maximum);
  if (largest_and_nan[1] != 0) return std::numeric_limits<double>::quiet_NaN();
  return largest_and_nan[0];
}

/// sum |x_i / scale|^2. A scale of one costs no division.
template <Element T>
double scaled_squares(const View& a, double scale) {
  double local = 0;
  const auto sum = [&](const auto* x, std::int64_t n) {
    const auto square = [](double value) { return value * value; };
    if (scale == 1)
      return detail::pairwise_sum(
          n, [=](std::int64_t i) { return square(static_cast<double>(x[i])); });
    return detail::pairwise_sum(
        n, [=](std::int64_t i) { return square(static_cast<double>(x[i]) / scale); });
  };
  detail::visit_own<T>(a, [&](const T* x, std::int64_t count) {
    if constexpr (detail::is_complex_type<T>)
      local += sum(parts(x), 2 * count);
    else
      local += sum(x, count);
  });
  return a.array.group().reduce(local);
}

template <Element T>
double norm_two(const View& a) {
  const double squares = scaled_squares<T>(a, 1);
  // Squares of ordinary numbers neither overflow nor vanish; only otherwise go again. All ranks
  // see the same sum and decide alike.
  if (std::isnan(squares) || (squares > 0x1p-900 && std::isfinite(squares)))
    return std::sqrt(squares);
  const double largest = norm_infinity<T>(a);
  if (largest == 0 || !std::isfinite(largest)) return largest;
  return largest * std::sqrt(scaled_squares<T>(a, largest));
}

constexpr auto nothing_special = [] {};

}  // namespace

Scalar sum(const View& a) {
  Scalar result = 0;
  detail::reading("sum", {&a, 1}, 0, nothing_special, [&] {
    with_computed_type(a.array.type(), [&]<class T>(T) {
      Wide<T> local{};
      detail::visit_own<T>(a,
                           [&](const T* x, std::int64_t count) { local += local_sum(x, count); });
      result = over_ranks(a.array.group(), a.array.type(), local);
    });
  });
  return result;
}

double sum_in_double(const View& a) {
  double result = 0;
  const auto check = [&] { detail::check_not_complex(a.array); };
  detail::reading("sum_in_double", {&a, 1}, 0, check, [&] {
    with_computed_type(a.array.type(), [&]<class T>(T) {
      double local = 0;
      if constexpr (!detail::is_complex_type<T>)
        detail::visit_own<T>(a, [&](const T* x, std::int64_t count) {
          local += detail::pairwise_sum(count,
                                        [=](std::int64_t i) { return static_cast<double>(x[i]); });
        });
      result = a.array.group().reduce(local);
    });
  });
  return result;
}

Scalar dot(const View& a, const View& b) {
  Scalar result = 0;
  const detail::Views<2> operands{a, b};
  detail::reading("dot", operands, 0, nothing_special, [&] {
    with_computed_type(a.array.type(), [&]<class T>(T) {
      Wide<T> local{};
      detail::visit_operands<T>(operands, [&](std::int64_t count, const auto& x) {
        local += local_dot(x[0], x[1], count);
      });
      result = over_ranks(a.array.group(), a.array.type(), local);
    });
  });
  return result;
}

double norm(const View& a, Norm kind) {
  double result = 0;
  detail::reading("norm", {&a, 1}, detail::hash_of(static_cast<std::uint64_t>(kind)),
                  nothing_special, [&] {
                    with_computed_type(a.array.type(), [&]<class T>(T) {
                      switch (kind) {
                        case Norm::one: result = norm_one<T>(a); break;
                        case Norm::two: result = norm_two<T>(a); break;
                        case Norm::infinity: result = norm_infinity<T>(a); break;
                      }
                    });
                  });
  return result;
}

}  // namespace lagoon::atoll
