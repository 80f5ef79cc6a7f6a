#include "shell_pairs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lagoon::atoll::chem {

namespace {
double cost_of(const Integrals& integrals, int shell) {
  // 2l+1 of the angular momentum stands in both: primitives for a contraction.
  return static_cast<double>(integrals.primitives(shell)) / integrals.functions(shell);
}
}  // namespace

ShellPairs::ShellPairs(const Integrals& integrals, const ShellBlocks& blocks,
                       std::span<const double> bounds, double tolerance) {
  const auto n = static_cast<std::size_t>(integrals.shells());
  if (bounds.size() != n * n)
    throw std::invalid_argument("the bounds must be a matrix of shells by shells");
  double largest = 0;
  for (double bound : bounds) largest = std::max(largest, bound);
  largest *= 4 * largest_density_element;  // what the bound of a pair can be multiplied with
  for (int block_p = 0; block_p < blocks.blocks(); ++block_p)
    for (int block_q = 0; block_q <= block_p; ++block_q) {
      auto& list = lists_.emplace_back();
      for (int p = blocks.begin(block_p); p < blocks.end(block_p); ++p)
        for (int q = blocks.begin(block_q); q < blocks.end(block_q); ++q) {
          if (block_p == block_q && q > p) break;
          const double bound =
              bounds[static_cast<std::size_t>(p) * n + static_cast<std::size_t>(q)];
          if (bound * largest > tolerance)
            list.push_back({bound, p, q, cost_of(integrals, p) * cost_of(integrals, q)});
        }
      std::stable_sort(list.begin(), list.end(),
                       [](const auto& a, const auto& b) { return a.bound > b.bound; });
    }
}

void check_canonical(const ShellBlocks& blocks, const BlockQuartet& task) {
  for (int block : {task.i, task.j, task.k, task.l}) blocks.check(block);
  const bool canonical = task.i >= task.j && task.k >= task.l &&
                         std::pair(task.i, task.j) >= std::pair(task.k, task.l);
  if (!canonical) throw std::invalid_argument("the blocks of a task must be canonical");
}

}  // namespace lagoon::atoll::chem
