// Box: a set of array elements, a product of arithmetic progressions, one a dimension. What the
// race detector stores of an access, joins with its neighbours and intersects: all three exactly,
// so that every second column of a matrix is no conflict with the columns between.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "atoll/index.hpp"

namespace lagoon::atoll::detail::race {

/// first, first + step, ...: `count` numbers, one at least. REQUIRES: step 1 where there is one.
struct Range {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 1;

  std::int64_t last() const noexcept { return first + (count - 1) * step; }
  bool holds(std::int64_t number) const noexcept {
    return number >= first && number <= last() && (number - first) % step == 0;
  }
  bool holds(const Range& other) const noexcept;
  friend bool operator==(const Range&, const Range&) noexcept = default;
};

/// What is in both.
std::optional<Range> common(const Range& a, const Range& b) noexcept;
/// Makes `a` the union of both where that is one progression; false, and nothing done, if not.
bool join(Range& a, const Range& b) noexcept;

struct Box {
  int dimensions = 0;
  std::array<Range, max_dimensions> ranges{};

  Box() = default;
  /// REQUIRES: the patch is not empty.
  explicit Box(const Patch& patch);
  Patch patch() const;
  std::int64_t elements() const noexcept;
  bool single() const noexcept { return elements() == 1; }
  bool holds(const Box& other) const noexcept;
  friend bool operator==(const Box& a, const Box& b) noexcept;
};

std::optional<Box> common(const Box& a, const Box& b) noexcept;
/// As of ranges: boxes that differ in one dimension at most.
bool join(Box& a, const Box& b) noexcept;
/// The three elements as one box where they are in one line at equal distances.
std::optional<Box> line_of(const Box& a, const Box& b, const Box& c) noexcept;

}  // namespace lagoon::atoll::detail::race
