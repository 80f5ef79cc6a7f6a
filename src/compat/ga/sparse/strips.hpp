// Rows or columns cut into strips of nearly equal size, one a process; some are empty where there
// are more processes than rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lagoon::atoll::ga::sparse {

/// Those from lo up to, not including, hi.
struct Range {
  std::int64_t lo = 0, hi = 0;
  std::int64_t size() const noexcept { return hi - lo; }
};

class Strips {
 public:
  Strips(std::int64_t extent, int count) {
    for (int s = 0; s <= count; ++s)  // extent * s / count would overflow
      starts_.push_back(extent / count * s + extent % count * s / count);
  }
  int count() const noexcept { return static_cast<int>(starts_.size()) - 1; }
  std::int64_t extent() const noexcept { return starts_.back(); }
  Range range(int strip) const {
    const auto s = static_cast<std::size_t>(strip);
    return {starts_[s], starts_[s + 1]};
  }
  /// The strip that `position` of 0 <= position < extent lies in.
  int of(std::int64_t position) const {
    return static_cast<int>(std::ranges::upper_bound(starts_, position) - starts_.begin()) - 1;
  }

 private:
  std::vector<std::int64_t> starts_;
};

}  // namespace lagoon::atoll::ga::sparse
