// The search for conflicts in what all ranks have done since they last met.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/race/clocks.hpp"

namespace lagoon::atoll::detail::race {

struct Party {
  std::size_t rank;
  const Access* access;
};

struct Conflict {
  Party first, second;
  Box box;  // elements that both touch
};

struct Found {
  std::vector<Conflict> conflicts;  // one for each pair of sites and kinds on a place
  bool complete = true;             // false: there was too much to look at all of it
};

/// Alike on all ranks that give the same. Points into `all`.
Found search(std::span<const History> all);

}  // namespace lagoon::atoll::detail::race
