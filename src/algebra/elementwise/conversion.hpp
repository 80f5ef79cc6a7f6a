// Moving elements between two orders and two types. Code that does not depend on the types calls a
// kernel from a table; only the innermost loops are compiled for pairs of the types that arithmetic
// is done in. The others are converted by way of these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/index.hpp"
#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

/// NumPy's "same_kind" rule, but that signs make no kind: truth values become anything, integers
/// any numbers, real numbers real or complex ones, complex numbers complex ones.
constexpr bool can_cast(ElementType from, ElementType to) noexcept {
  const auto kind = [](ElementType type) {
    if (traits_of(type).boolean) return 0;
    return is_complex(type) ? 3 : is_integer(type) ? 1 : 2;
  };
  return kind(from) <= kind(to);
}

/// Elements of a type somewhere in memory.
template <class Byte>
struct Typed {
  ElementType type;
  Byte* memory;
};
using Target = Typed<std::byte>;
using Source = Typed<const std::byte>;

/// to[i] = from[i]. The types can be cast; integers are cut modulo 2^n.
void move_packed(Target to, Source from, std::int64_t count);

/// to[i, ..., k] = from[i, ..., k], each with its own strides, in elements. The first and the last
/// dimension go in square tiles, so that cache lines are used whole when one order is the reverse
/// of the other.
void move_strided(Target to, const Index& to_strides, Source from, const Index& from_strides,
                  const Index& shape);

}  // namespace lagoon::atoll::detail
