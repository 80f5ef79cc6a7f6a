// GA's types of elements: the numbers MT_* and those that programs register.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "atoll/types.hpp"

namespace lagoon::atoll::ga {

/// Whether Global Arrays have it: numbers with a sign of four bytes or more, and bytes.
constexpr bool is_known(ElementType type) noexcept {
  const ElementTraits& traits = traits_of(type);
  return type == ElementType::uint8 ||
         (traits.has_sign && !traits.boolean && size_of(traits.real) >= 4);
}
/// Calls `f(T{})` with the C++ type of an element that Global Arrays have.
template <class F>
constexpr decltype(auto) with_datatype(ElementType type, F&& f) {
  return with_chosen_type<is_known>(type, std::forward<F>(f));
}

struct Datatype {
  int code;
  std::size_t bytes;
  /// What Atoll computes with; none for long doubles and registered types, which are bytes that are
  /// only moved.
  std::optional<ElementType> element;
};

/// Error(type) for a number that is no type, or was deregistered.
const Datatype& datatype(int code);
bool is_datatype(int code);

/// At most 256 at a time; Error(value) for none or too many bytes.
int register_datatype(std::size_t bytes);
/// Whether there was one.
bool deregister_datatype(int code);

/// What an inquiry answers in C, and in Fortran (-1 where Fortran has no such type).
int code_for_c(int code);
int code_for_fortran(int code);
/// C's type for an element of Atoll's; Error(type) where there is none.
int code_of(ElementType element);

/// The element of Atoll's that an array of `type` is computed with; Error(type) where there is
/// none.
ElementType element_of(const Datatype& type);
/// The number that `value` points to.
Scalar scalar_at(const void* value, ElementType type);
/// The other way round.
void store(const Scalar& scalar, ElementType type, void* value);

}  // namespace lagoon::atoll::ga
