// What algebra works on: a patch of an array, or all of it, named by a handle.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include "atoll/array.hpp"
#include "compat/failure.hpp"
#include "compat/ga/arrays.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

struct Section {
  AnyArray& array;
  Patch patch;
  bool all;  ///< the patch is the whole array

  Index shape() const { return patch.shape(); }
};

inline Section all_of(AnyArray& array) { return {array, whole(array.shape()), true}; }

/// All of an array of any type, which can be zeroed and copied.
Section elements(std::int64_t handle);
/// All of an array of numbers; Error(type) for other types.
Section numbers(std::int64_t handle);

/// Error(value) for bounds of more dimensions than the array has.
Section elements(std::int64_t handle, const Patch& patch);
Section numbers(std::int64_t handle, const Patch& patch);

template <Language language, class I>
Patch patch_of(std::int64_t handle, const I* lo, const I* hi) {
  return patch<language>(lo, hi, array_of(handle).dimensions());
}

/// The number that `value` points to, of the array's type, as the group's first process has it:
/// GA's programs may pass others elsewhere. Collective.
Scalar number_for(const Section& section, const void* value);

/// f(arrays...) where all sections are whole, which is faster, else f(array, patch, ...).
template <class F, class... Sections>
decltype(auto) with(F&& f, const Sections&... sections) {
  if ((sections.all && ...)) return f(sections.array...);
  return std::apply(f, std::tuple_cat(std::tie(sections.array, sections.patch)...));
}

}  // namespace lagoon::atoll::ga
