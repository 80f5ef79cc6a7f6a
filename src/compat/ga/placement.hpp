// From what a program asks for to Atoll's layout, and which processes get the blocks.
#pragma once

#include <vector>

#include "atoll/distribution.hpp"

namespace lagoon::atoll::ga {

struct Plan;

struct Placement {
  Layout layout;
  /// The processes that are the array's first ranks, in order; empty: all as they are. Then no
  /// others own anything.
  std::vector<int> owners;
};

/// For so many processes. `bytes` > 0: each element is so many of Atoll's, in a dimension of its
/// own that is not cut. Error(value) for a plan that cannot be.
Placement placement_of(const Plan& plan, std::int64_t bytes, int processes);

}  // namespace lagoon::atoll::ga
