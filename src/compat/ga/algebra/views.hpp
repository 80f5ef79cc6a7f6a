// What algebra works on: a patch of an array, or all of it, named by a handle.
#pragma once

#include <cstdint>
#include <optional>

#include "atoll/view.hpp"
#include "compat/failure.hpp"
#include "compat/ga/arrays.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// All of an array of any type, which can be zeroed and copied.
MutableView elements(std::int64_t handle);
/// All of an array of numbers; Error(type) for other types.
MutableView numbers(std::int64_t handle);

/// Error(value) for bounds of more dimensions than the array has.
MutableView elements(std::int64_t handle, const Patch& patch);
MutableView numbers(std::int64_t handle, const Patch& patch);

template <Language language, class I>
Patch patch_of(std::int64_t handle, const I* lo, const I* hi) {
  return patch<language>(lo, hi, array_of(handle).dimensions());
}

/// What is read as a letter says: n as it lies, t transposed, else Error(value).
View in_form(const MutableView& a, char letter);

/// The number that `value` points to, of the array's type, as the group's first process has it:
/// GA's programs may pass others elsewhere. Collective.
Scalar number_for(const View& view, const void* value);

/// The number that `value` points to, of the array's type, if all processes of the group pass the
/// same, to the last bit; else none, on all of them. Collective.
std::optional<Scalar> common_number(const View& view, const void* value);

}  // namespace lagoon::atoll::ga
