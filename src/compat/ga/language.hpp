// One array seen from two languages. C counts from 0, row-major; Fortran from 1, column-major, so
// that its dimensions are those of C in reverse; bounds include both ends. Atoll's are C's with the
// upper end excluded. Every function is written once, for a `language` and its integers I.
#pragma once

#include <cstdint>

#include "atoll/index.hpp"

namespace lagoon::atoll::ga {

enum class Language : std::uint8_t { c, fortran };

/// The place among the arguments of dimension `d` of Atoll's.
template <Language language>
constexpr int place(int d, int dimensions) noexcept {
  return language == Language::c ? d : dimensions - 1 - d;
}

/// What the language counts from.
template <Language language>
constexpr std::int64_t first = language == Language::c ? 0 : 1;

/// Values a dimension that are no positions: extents, widths, chunks.
template <Language language, class I>
Index extents(const I* values, int dimensions) {
  Index result = Index::filled(dimensions, 0);
  for (int d = 0; d < dimensions; ++d) result[d] = values[place<language>(d, dimensions)];
  return result;
}

template <Language language, class I>
Index position(const I* subscript, int dimensions) {
  Index result = Index::filled(dimensions, 0);
  for (int d = 0; d < dimensions; ++d)
    result[d] = subscript[place<language>(d, dimensions)] - first<language>;
  return result;
}

/// Empty, not backwards, where a lower bound is above the upper one.
template <Language language, class I>
Patch patch(const I* lo, const I* hi, int dimensions) {
  Patch result{Index::filled(dimensions, 0), Index::filled(dimensions, 0)};
  for (int d = 0; d < dimensions; ++d) {
    const int at = place<language>(d, dimensions);
    result.lo[d] = lo[at] - first<language>;
    result.hi[d] = hi[at] - first<language> + 1;
    if (result.hi[d] < result.lo[d]) result.hi[d] = result.lo[d];
  }
  return result;
}

/// Strides of a buffer, in elements, from its leading dimensions: `dimensions` - 1 of them.
template <Language language, class I>
Index strides(const I* leading, int dimensions) {
  Index result = Index::filled(dimensions, 1);
  for (int d = dimensions - 2; d >= 0; --d)
    result[d] =
        result[d + 1] * (language == Language::c ? leading[d] : leading[dimensions - 2 - d]);
  return result;
}

template <Language language, class I>
void give_extents(const Index& values, I* out) {
  for (int d = 0; d < values.size(); ++d)
    out[place<language>(d, values.size())] = static_cast<I>(values[d]);
}

template <Language language, class I>
void give_position(const Index& position, I* out) {
  for (int d = 0; d < position.size(); ++d)
    out[place<language>(d, position.size())] = static_cast<I>(position[d] + first<language>);
}

/// Of nothing: lo is one below the first index, hi one below that (trap 1).
template <Language language, class I>
void give_patch(const Patch& patch, I* lo, I* hi) {
  const int n = patch.dimensions();
  const bool nothing = patch.empty();
  for (int d = 0; d < n; ++d) {
    const int at = place<language>(d, n);
    lo[at] = static_cast<I>(nothing ? first<language> - 1 : patch.lo[d] + first<language>);
    hi[at] = static_cast<I>(nothing ? first<language> - 2 : patch.hi[d] - 1 + first<language>);
  }
}

/// Leading dimensions of memory with these strides; packed ones are its extents.
template <Language language, class I>
void give_leading(const Index& strides, I* leading) {
  const int n = strides.size();
  for (int d = 0; d + 1 < n; ++d) {
    const std::int64_t below = strides[d + 1];
    leading[language == Language::c ? d : n - 2 - d] =
        static_cast<I>(below == 0 ? 0 : strides[d] / below);
  }
}

}  // namespace lagoon::atoll::ga
