// Sums of many terms within a rank: pairwise, over sixteen lanes at the bottom, so that the error
// grows with the logarithm of the count, the order is fixed, and compilers vectorise.
#pragma once

#include <array>
#include <complex>
#include <cstdint>

#include "world/arithmetic.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll::detail {

inline constexpr std::int64_t lanes = 16;
inline constexpr std::int64_t leaf = 64 * lanes;

/// `base(first, count)` sums up to `leaf` terms; the halves are cut at multiples of `lanes`.
template <class Base>
auto pairwise(std::int64_t first, std::int64_t count, const Base& base)
    -> decltype(base(first, count)) {
  if (count <= leaf) return base(first, count);
  const std::int64_t half = count / 2 / lanes * lanes;
  return pairwise(first, half, base) + pairwise(first + half, count - half, base);
}

/// Sum of `term(i)` for first <= i < first + count, lane l taking i = first + l modulo `lanes`.
template <class Term>
ATOLL_EACH_PROCESSOR_OF_TEMPLATE auto lane_sums(std::int64_t first, std::int64_t count, Term term)
    -> std::array<decltype(term(first)), lanes> {
  std::array<decltype(term(first)), lanes> sums{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::int64_t l = 0; l < lanes; ++l)
      sums[static_cast<std::size_t>(l)] += term(first + i + l);
  for (std::int64_t l = 0; i < count; ++i, ++l)
    sums[static_cast<std::size_t>(l)] += term(first + i);
  return sums;
}

/// The sum of `term(i)` for 0 <= i < count.
template <class Term>
auto pairwise_sum(std::int64_t count, const Term& term) {
  return pairwise(0, count, [&](std::int64_t first, std::int64_t n) {
    auto sums = lane_sums(first, n, term);
    for (std::size_t width = lanes / 2; width > 0; width /= 2)
      for (std::size_t l = 0; l < width; ++l) sums[l] += sums[l + width];
    return sums[0];
  });
}

/// The same for interleaved real and imaginary parts: `term(2 i)` and `term(2 i + 1)`.
template <class Term>
std::complex<double> pairwise_complex_sum(std::int64_t count, const Term& term) {
  return pairwise(0, 2 * count, [&](std::int64_t first, std::int64_t n) {
    auto sums = lane_sums(first, n, term);
    for (std::size_t width = lanes / 2; width > 1; width /= 2)
      for (std::size_t l = 0; l < width; ++l) sums[l] += sums[l + width];
    return std::complex<double>(sums[0], sums[1]);
  });
}

/// What the elements of an array are summed in: integers modulo 2^64, the others in double.
template <Element T>
using Wide =
    std::conditional_t<is_integer_type<T>, std::uint64_t,
                       std::conditional_t<is_complex_type<T>, std::complex<double>, double>>;

/// The sum of the ranks' results over an array of this type, as what the user gets.
template <class W>
Scalar over_ranks(const Group& group, ElementType type, W local) {
  const W total = group.reduce(local);
  if constexpr (std::is_integral_v<W>)
    if (traits_of(type).has_sign || traits_of(type).boolean)
      return static_cast<std::int64_t>(total);
  return total;
}

/// One element, or one part of a complex one, as a term.
template <class T>
auto widened(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  else
    return static_cast<double>(x);
}

}  // namespace lagoon::atoll::detail
