// Where in a page a buffer begins: copies are slow at some distances of the two sides, so a figure
// of bandwidth is taken at the best place and at the worst.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "measure.hpp"

namespace bench {

/// A buffer begins at one of 512 places of a page, told in doubles.
struct Places {
  std::int64_t best = 0, worst = 0;
};

/// The fastest and the slowest place for `move`, which works on a buffer there. Small distances
/// from the page's begin come first; a slow `move` may not see the others.
Places find_places(const Settings& settings, const std::function<void(std::int64_t place)>& move);

/// Doubles behind a page's begin, all one; room for one more page.
class PageBuffer {
 public:
  explicit PageBuffer(std::int64_t doubles);
  double* at(std::int64_t place) const { return memory_.get() + place; }

 private:
  struct Free {
    void operator()(double* memory) const;
  };
  std::unique_ptr<double[], Free> memory_;
};

}  // namespace bench
