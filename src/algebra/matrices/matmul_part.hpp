// MatmulPart: the rows, columns and k of a product that a rank computes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lagoon::atoll::detail {

struct Extent {
  std::int64_t first = 0, last = 0;
  std::int64_t size() const noexcept { return last - first; }
};
inline Extent common(const Extent& a, const Extent& b) noexcept {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}
/// Ascending and apart. "Packed" positions count through all of them.
using Extents = std::vector<Extent>;
std::int64_t size_of(const Extents& extents) noexcept;
/// What of the extents lies at packed positions [first, last).
Extents packed_part(const Extents& extents, std::int64_t first, std::int64_t last);

/// A rank's part: every combination of rows, columns and k.
struct MatmulPart {
  Extents rows, columns;
  Extent k;
  bool empty() const noexcept { return rows.empty() || columns.empty(); }
};

}  // namespace lagoon::atoll::detail
