// Four numbers side by side, as GCC and Clang have them on any processor: in one register where
// there are vectors so long.
#pragma once

namespace lagoon::atoll::chem {

inline constexpr int width_of_lanes = 4;
// What it refers to are doubles, and may be read as such.
using Lanes [[gnu::vector_size(32), gnu::may_alias]] = double;

/// Twice as many, where vectors are so long.
using LongLanes [[gnu::vector_size(64), gnu::may_alias]] = double;

inline const Lanes* as_lanes(const double* values) {
  return reinterpret_cast<const Lanes*>(values);
}
inline Lanes* as_lanes(double* values) { return reinterpret_cast<Lanes*>(values); }

}  // namespace lagoon::atoll::chem
