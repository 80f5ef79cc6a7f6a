// Choosing how many ranks to put along each dimension.
#pragma once

#include "atoll/index.hpp"

namespace lagoon::atoll::detail {

/// A grid with at most `most[d]` cells in dimension d and at most `ranks` in all that makes the
/// largest block small and, among nearly equals, the blocks cubic.
Index choose_grid(const Index& shape, const Index& most, int ranks);

}  // namespace lagoon::atoll::detail
