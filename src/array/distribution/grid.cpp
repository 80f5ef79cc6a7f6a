// Choosing the grid: all ordered factorisations of rank counts from the full one downwards, until
// even a perfect cut for fewer ranks could not beat the best found.
#include "array/distribution/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lagoon::atoll::detail {

namespace {

// How much a block that is twice as long as wide costs, relative to its volume: a tie-breaker.
constexpr double elongation_cost = 0.02;

struct Search {
  const Index& shape;
  const Index& most;
  Index grid;
  Index best;
  int ranks = 0;
  int best_ranks = 0;
  double best_cost = std::numeric_limits<double>::infinity();

  double cost() const {
    double volume = 1, longest = 1, shortest = std::numeric_limits<double>::infinity();
    for (int d = 0; d < shape.size(); ++d) {
      const double block = std::ceil(static_cast<double>(shape[d]) / static_cast<double>(grid[d]));
      volume *= block;
      longest = std::max(longest, block);
      if (shape[d] > 1) shortest = std::min(shortest, block);
    }
    if (shortest > longest) return volume;
    return volume * (1 + elongation_cost * std::log2(longest / std::max(1.0, shortest)));
  }

  void factorise(int d, std::int64_t rest) {
    if (d == shape.size() - 1 ||
        d == max_dimensions - 1) {  // the latter for GCC 14, which sees no end
      if (rest > most[d]) return;
      grid[d] = rest;
      const double c = cost();
      // Among equals later ones, which cut earlier dimensions (rows stay whole), but never fewer
      // ranks.
      if (c < best_cost || (c == best_cost && best_ranks == ranks)) {
        best_cost = c;
        best_ranks = ranks;
        best = grid;
      }
      return;
    }
    // Divisors in ascending order, in pairs: those up to the root, and what they leave.
    std::int64_t root = 1;
    for (; root * root <= rest; ++root)
      if (rest % root == 0) divide(d, rest, root);
    for (--root; root >= 1; --root)
      if (rest % root == 0 && root * root != rest) divide(d, rest, rest / root);
  }
  void divide(int d, std::int64_t rest, std::int64_t g) {
    if (g > most[d]) return;
    grid[d] = g;
    factorise(d + 1, rest / g);
  }
};

}  // namespace

Index choose_grid(const Index& shape, const Index& most, int ranks) {
  const Index ones = Index::filled(shape.size(), 1);
  double volume = 1;
  for (const std::int64_t extent : shape) volume *= static_cast<double>(extent);
  if (volume == 0 || ranks == 1) return ones;
  Search search{shape, most, ones, ones};
  for (int used = ranks; used >= 1; --used) {
    if (volume / used > search.best_cost) break;
    search.ranks = used;
    search.factorise(0, used);
  }
  return search.best;
}

}  // namespace lagoon::atoll::detail
