// Loops over strided local memory: filling a section, and moving elements between two orders.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "algebra/sections.hpp"
#include "atoll/types.hpp"
#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

/// Sets the elements of a strided section of memory.
template <Element T>
void fill_strided(T* to, const Index& strides, const Index& shape, T value) {
  const int last = shape.size() - 1;
  const std::int64_t length = shape[last], stride = strides[last];
  for_each_row(shape, [&](const Index& at) {
    T* row = to + dot_product(at, strides);
    if (stride == 1)
      std::fill_n(row, length, value);
    else
      for (std::int64_t i = 0; i < length; ++i) row[i * stride] = value;
  });
}

template <Element T>
inline constexpr bool is_complex_element = is_complex(element_type_of<T>());

/// NumPy's "same_kind" rule, but that signs make no kind: integers become anything, real numbers
/// real or complex ones, complex numbers complex ones.
constexpr bool can_cast(ElementType from, ElementType to) noexcept {
  const auto kind = [](ElementType type) {
    return is_complex(type) ? 2 : is_integer(type) ? 0 : 1;
  };
  return kind(from) <= kind(to);
}

/// The same number as another type; integers are cut modulo 2^n.
template <Element To, Element From>
  requires(can_cast(element_type_of<From>(), element_type_of<To>()))
constexpr To cast(From value) {
  if constexpr (is_complex_element<To>) {
    using Real = typename To::value_type;
    if constexpr (is_complex_element<From>)
      return To(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
    else
      return To(static_cast<Real>(value));
  } else {
    return static_cast<To>(value);
  }
}

/// to[i] = from[i]
template <Element To, Element From>
void move_packed(To* to, const From* from, std::int64_t count) {
  if constexpr (std::same_as<To, From>)
    copy_bytes(to, from, static_cast<std::size_t>(count) * sizeof(To));
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = cast<To>(from[i]);
}

/// to[i, ..., k] = from[i, ..., k], each with its own strides. The first and the last dimension go
/// in square tiles, so that cache lines are used whole when one order is the reverse of the other.
template <Element To, Element From>
void move_strided(To* to, const Index& to_strides, const From* from, const Index& from_strides,
                  const Index& shape) {
  constexpr std::int64_t tile = 32;
  const int last = shape.size() - 1;
  const std::int64_t rows = last == 0 ? 1 : shape[0], columns = shape[last];
  const std::int64_t to_row = to_strides[0], to_column = to_strides[last];
  const std::int64_t from_row = from_strides[0], from_column = from_strides[last];
  Index planes = shape;  // one position for every plane of first and last dimension
  planes[0] = planes[last] = 1;
  for (const std::int64_t extent : shape)
    if (extent <= 0) return;
  Index at = Index::filled(shape.size(), 0);
  do {
    To* to_plane = to + dot_product(at, to_strides);
    const From* from_plane = from + dot_product(at, from_strides);
    for (std::int64_t i0 = 0; i0 < rows; i0 += tile)
      for (std::int64_t j0 = 0; j0 < columns; j0 += tile) {
        const std::int64_t i1 = std::min(i0 + tile, rows), j1 = std::min(j0 + tile, columns);
        for (std::int64_t i = i0; i < i1; ++i)
          for (std::int64_t j = j0; j < j1; ++j)
            to_plane[i * to_row + j * to_column] =
                cast<To>(from_plane[i * from_row + j * from_column]);
      }
  } while (next_position(at, planes));
}

}  // namespace lagoon::atoll::detail
