// Arithmetic on single elements, with the corner cases settled once: integers wrap modulo 2^n,
// NaN is the extremum, complex products are the textbook formula and quotients Smith's.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

template <class T>
inline constexpr bool is_integer_type = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_complex_type = !std::same_as<T, Real<T>>;
/// Whether arithmetic on it is done in another type.
template <class T>
inline constexpr bool is_narrow_type = !std::same_as<T, Computed<T>>;

/// The type whose arithmetic wraps.
template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <Element T>
constexpr T plus(T a, T b) {
  if constexpr (is_narrow_type<T>)
    return static_cast<T>(plus(static_cast<Computed<T>>(a), static_cast<Computed<T>>(b)));
  else if constexpr (is_integer_type<T>)
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  else
    return a + b;
}

/// Complex: without the rescue of infinities that std::complex's operator* tries, as in NumPy.
template <Element T>
constexpr T times(T a, T b) {
  if constexpr (is_narrow_type<T>)
    return static_cast<T>(times(static_cast<Computed<T>>(a), static_cast<Computed<T>>(b)));
  else if constexpr (is_integer_type<T>)
    return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
  else if constexpr (is_complex_type<T>)
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  else
    return a * b;
}

/// a / b; an integer over zero is zero, as in NumPy. Complex: R. L. Smith, Algorithm 116, CACM 5
/// (1962), which does not overflow on the way.
template <Element T>
T quotient(T a, T b) {
  if constexpr (is_integer_type<T>) {
    if (b == T(0)) return T(0);
    // The lowest integer over -1 does not fit: negating without a sign wraps.
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
    return static_cast<T>(a / b);
  } else if constexpr (is_complex_type<T>) {
    if (std::abs(b.real()) >= std::abs(b.imag())) {
      if (b.real() == 0) return T(a.real() / std::abs(b.real()), a.imag() / std::abs(b.real()));
      const auto ratio = b.imag() / b.real(), scale = b.real() + b.imag() * ratio;
      return T((a.real() + a.imag() * ratio) / scale, (a.imag() - a.real() * ratio) / scale);
    }
    const auto ratio = b.real() / b.imag(), scale = b.imag() + b.real() * ratio;
    return T((a.real() * ratio + a.imag()) / scale, (a.imag() * ratio - a.real()) / scale);
  } else {
    return a / b;
  }
}

/// |a| as an element; the lowest integer stays as it is, as in NumPy.
template <Element T>
T magnitude(T a) {
  if constexpr (std::is_unsigned_v<T>)
    return a;
  else if constexpr (is_integer_type<T>)
    return a < 0 ? static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a)) : a;
  else if constexpr (is_complex_type<T>)
    return T(std::hypot(a.real(), a.imag()));
  else
    return std::abs(a);
}

/// |a| in double, without overflow for the lowest integer.
template <Element T>
double absolute_value(T a) {
  if constexpr (is_complex_type<T>)
    return std::hypot(static_cast<double>(a.real()), static_cast<double>(a.imag()));
  else
    return std::abs(static_cast<double>(a));
}

/// Whether `a` is no number.
template <Element T>
constexpr bool is_nan(T a) {
  if constexpr (is_integer_type<T>)
    return false;
  else
    return a != a;
}

/// The smaller or the larger; NaN when one of them is, the first one's when both are. Written with
/// `|` so that loops over it need no branch.
template <Element T>
constexpr T smaller(T a, T b) {
  const int first = static_cast<int>(a < b) | static_cast<int>(is_nan(a));
  return first != 0 ? a : b;
}
template <Element T>
constexpr T larger(T a, T b) {
  const int first = static_cast<int>(a > b) | static_cast<int>(is_nan(a));
  return first != 0 ? a : b;
}

}  // namespace lagoon::atoll::detail
