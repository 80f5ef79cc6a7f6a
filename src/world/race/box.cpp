#include "world/race/box.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace lagoon::atoll::detail::race {

namespace {

__extension__ using Wide = __int128;

/// x with a * x = 1 modulo m; a and m have no common divisor.
std::int64_t inverse(std::int64_t a, std::int64_t m) noexcept {
  std::int64_t old_rest = a % m, rest = m, old_factor = 1, factor = 0;
  while (rest != 0) {
    const std::int64_t quotient = old_rest / rest;
    old_rest = std::exchange(rest, old_rest - quotient * rest);
    old_factor = std::exchange(factor, old_factor - quotient * factor);
  }
  return old_factor < 0 ? old_factor + m : old_factor;
}

Range made(std::int64_t first, std::int64_t step, std::int64_t count) noexcept {
  return {first, count == 1 ? 1 : step, count};
}

}  // namespace

bool Range::holds(const Range& other) const noexcept {
  return holds(other.first) && holds(other.last()) && (other.count < 3 || other.step % step == 0);
}

std::optional<Range> common(const Range& a, const Range& b) noexcept {
  const std::int64_t lo = std::max(a.first, b.first), last = std::min(a.last(), b.last());
  if (lo > last) return {};
  if (a.step == 1 && b.step == 1) return made(lo, 1, last - lo + 1);
  const std::int64_t divisor = std::gcd(a.step, b.step);
  if ((b.first - a.first) % divisor != 0) return {};
  // The least x at or behind `lo` that is in both, modulo the least common multiple.
  const std::int64_t b_part = b.step / divisor;
  const Wide multiple = Wide{a.step} * b_part;
  const std::int64_t distance = (b.first - a.first) / divisor;
  Wide turns = b_part == 1 ? Wide{0}
                           : Wide{((distance % b_part) + b_part) % b_part} *
                                 inverse((a.step / divisor) % b_part, b_part) % b_part;
  Wide first = Wide{a.first} + turns * a.step;
  if (first < lo) first += (Wide{lo} - first + multiple - 1) / multiple * multiple;
  if (first > last) return {};
  const Wide count = (Wide{last} - first) / multiple + 1;
  return made(static_cast<std::int64_t>(first),
              count == 1 ? 1 : static_cast<std::int64_t>(multiple),
              static_cast<std::int64_t>(count));
}

bool join(Range& a, const Range& b) noexcept {
  if (a.holds(b)) return true;
  if (b.holds(a)) {
    a = b;
    return true;
  }
  // Two single numbers that are no neighbours stay apart: they may belong to two lines.
  const std::int64_t step = a.count > 1 ? a.step : b.step;
  if ((a.count > 1 && b.count > 1 && a.step != b.step) || (a.first - b.first) % step != 0)
    return false;
  if (b.first > a.last() + step || a.first > b.last() + step) return false;
  const std::int64_t first = std::min(a.first, b.first), last = std::max(a.last(), b.last());
  a = made(first, step, (last - first) / step + 1);
  return true;
}

Box::Box(const Patch& patch) : dimensions(patch.dimensions()) {
  const Index counts = patch.shape();
  for (int d = 0; d < dimensions; ++d)
    ranges[static_cast<std::size_t>(d)] =
        made(patch.lo[d], patch.step.empty() ? 1 : patch.step[d], counts[d]);
}

Patch Box::patch() const {
  Patch patch{Index::filled(dimensions, 0), Index::filled(dimensions, 0),
              Index::filled(dimensions, 1)};
  bool steps = false;
  for (int d = 0; d < dimensions; ++d) {
    const Range& range = ranges[static_cast<std::size_t>(d)];
    patch.lo[d] = range.first;
    patch.hi[d] = range.last() + 1;
    patch.step[d] = range.step;
    steps = steps || range.step != 1;
  }
  if (!steps) patch.step = {};
  return patch;
}

std::int64_t Box::elements() const noexcept {
  std::int64_t elements = 1;
  for (int d = 0; d < dimensions; ++d) elements *= ranges[static_cast<std::size_t>(d)].count;
  return elements;
}

bool Box::holds(const Box& other) const noexcept {
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    if (!ranges[d].holds(other.ranges[d])) return false;
  return true;
}

bool operator==(const Box& a, const Box& b) noexcept {
  return a.dimensions == b.dimensions &&
         std::equal(a.ranges.begin(), a.ranges.begin() + a.dimensions, b.ranges.begin());
}

std::optional<Box> common(const Box& a, const Box& b) noexcept {
  Box result;
  result.dimensions = a.dimensions;
  for (std::size_t d = 0; d < static_cast<std::size_t>(a.dimensions); ++d) {
    const std::optional<Range> range = common(a.ranges[d], b.ranges[d]);
    if (!range) return {};
    result.ranges[d] = *range;
  }
  return result;
}

bool join(Box& a, const Box& b) noexcept {
  int differs = -1;
  for (int d = 0; d < a.dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (a.ranges[i] == b.ranges[i]) continue;
    if (differs >= 0) return a.holds(b) || (b.holds(a) && (a = b, true));
    differs = d;
  }
  return differs < 0 || join(a.ranges[static_cast<std::size_t>(differs)],
                             b.ranges[static_cast<std::size_t>(differs)]);
}

std::optional<Box> line_of(const Box& a, const Box& b, const Box& c) noexcept {
  int along = -1;
  for (int d = 0; d < a.dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::int64_t step = b.ranges[i].first - a.ranges[i].first;
    if (c.ranges[i].first - b.ranges[i].first != step) return {};
    if (step == 0) continue;
    if (along >= 0) return {};
    along = d;
  }
  if (along < 0) return {};
  const auto i = static_cast<std::size_t>(along);
  Box line = a;
  line.ranges[i].first = std::min(a.ranges[i].first, c.ranges[i].first);
  line.ranges[i].step = std::abs(b.ranges[i].first - a.ranges[i].first);
  line.ranges[i].count = 3;
  return line;
}

}  // namespace lagoon::atoll::detail::race
