// Sections of an array that is thought to go on beyond its edges: in some dimensions it repeats, in
// the others there is nothing. Such a section is cut into parts that lie inside the array.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "atoll/index.hpp"

namespace lagoon::atoll::detail {

/// floor(a / b) and ceil(a / b) for b > 0.
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept {
  return a >= 0 ? a / b : -((-a - 1) / b) - 1;
}
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) noexcept {
  return -floor_divide(-a, b);
}

/// One dimension of a section, turn by turn.
class ImageTurns {
 public:
  ImageTurns() = default;
  ImageTurns(std::int64_t lo, std::int64_t step, std::int64_t count, std::int64_t extent,
             bool periodic) noexcept
      : lo_(lo), step_(step), count_(count), extent_(extent), periodic_(periodic) {}

  /// Goes to the first turn or the next; false when there is none.
  bool first() noexcept { return go_to(periodic_ ? 0 : ceil_divide(-lo_, step_)); }
  bool next() noexcept { return periodic_ && go_to(end_); }

  /// Of this turn's elements: number of the first in the section, and where they lie in the array.
  std::int64_t position() const noexcept { return begin_; }
  std::int64_t lo() const noexcept { return lo_ + begin_ * step_ - shift_; }
  std::int64_t hi() const noexcept { return lo_ + (end_ - 1) * step_ - shift_ + 1; }

 private:
  bool go_to(std::int64_t element) noexcept {
    begin_ = std::max<std::int64_t>(0, element);
    if (begin_ >= count_ || extent_ <= 0) return false;
    shift_ = periodic_ ? floor_divide(lo_ + begin_ * step_, extent_) * extent_ : 0;
    end_ = std::min(count_, ceil_divide(shift_ + extent_ - lo_, step_));
    return begin_ < end_;
  }

  std::int64_t lo_ = 0, step_ = 1, count_ = 0, extent_ = 0;
  bool periodic_ = false;
  std::int64_t begin_ = 0, end_ = 0, shift_ = 0;  // shift: from the array to this turn's copy of it
};

/// Calls `f(part, position)` for the parts of `section` (coordinates within 2^61) in row-major
/// order of the turns: where in the array, and the section coordinates of the part's first element.
/// `periodic(d)` says whether the array repeats in dimension d.
template <class Periodic, class F>
void for_each_image(const Patch& section, const Index& shape, Periodic&& periodic, F&& f) {
  const int n = shape.size();
  const Index count = section.shape();
  std::array<ImageTurns, max_dimensions> turns;
  const auto turn = [&](int d) -> ImageTurns& { return turns[static_cast<std::size_t>(d)]; };
  for (int d = 0; d < n; ++d) {
    const std::int64_t step = section.step.empty() ? 1 : section.step[d];
    turn(d) = ImageTurns(section.lo[d], step, count[d], shape[d], periodic(d));
    if (!turn(d).first()) return;
  }
  Patch part = section;
  Index position = count;
  for (;;) {
    for (int d = 0; d < n; ++d) {
      part.lo[d] = turn(d).lo();
      part.hi[d] = turn(d).hi();
      // One position needs no step; a huge one would overflow as a stride in bytes.
      if (!part.step.empty()) part.step[d] = part.hi[d] - part.lo[d] > 1 ? section.step[d] : 1;
      position[d] = turn(d).position();
    }
    f(static_cast<const Patch&>(part), static_cast<const Index&>(position));
    int d = n - 1;
    for (; d >= 0 && !turn(d).next(); --d) (void)turn(d).first();
    if (d < 0) return;
  }
}

}  // namespace lagoon::atoll::detail
