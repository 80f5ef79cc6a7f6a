// ShellPairs: the shell pairs of every pair of blocks that can matter, those with the largest
// Schwarz bound first; and the order of the quartets of a task that follows from it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "integrals.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

struct ShellPair {
  /// |(ij|kl)| <= bound of (i, j) times bound of (k, l).
  double bound;
  int p, q;
  /// Of computing its integrals: products of primitive Gaussians for one of functions.
  double cost;
};

/// The blocks (IJ|KL) of a task; canonical: I >= J, K >= L, pair IJ >= pair KL.
struct BlockQuartet {
  int i, j, k, l;
  bool same_pairs() const noexcept { return i == k && j == l; }
};

/// Some of the bra pairs of a task, by their place in its list.
struct Rows {
  int begin, end;
};

class ShellPairs {
 public:
  /// `bounds`: of all shell pairs, row-major, shells x shells; the lower triangle is used. Pairs
  /// that no density can bring above `tolerance` are left out. Throws std::invalid_argument for
  /// another number of bounds.
  ShellPairs(const Integrals& integrals, const ShellBlocks& blocks, std::span<const double> bounds,
             double tolerance);

  /// Of blocks p >= q; descending by bound. Of blocks p = q the shells are p >= q, too.
  const std::vector<ShellPair>& of(int block_p, int block_q) const noexcept {
    return lists_[static_cast<std::size_t>(block_p * (block_p + 1) / 2 + block_q)];
  }

 private:
  std::vector<std::vector<ShellPair>> lists_;
};

/// Throws std::out_of_range for a block that does not exist, std::invalid_argument unless the
/// quartet is canonical.
void check_canonical(const ShellBlocks& blocks, const BlockQuartet& task);

/// Calls visit(bra, ket, bound) for every canonical quartet of shells of a task whose bra pair is
/// one of `rows` and whose bound exceeds `least`. The order depends on nothing else.
template <class Visit>
void for_each_quartet(const ShellPairs& pairs, const BlockQuartet& task, Rows rows, double least,
                      Visit&& visit) {
  const auto& bra_pairs = pairs.of(task.i, task.j);
  const auto& ket_pairs = pairs.of(task.k, task.l);
  for (auto row = static_cast<std::size_t>(rows.begin); row < static_cast<std::size_t>(rows.end);
       ++row) {
    const ShellPair& bra = bra_pairs[row];
    // Of a task over one pair of blocks, every pair of shell pairs is taken once.
    const std::size_t end = task.same_pairs() ? row + 1 : ket_pairs.size();
    for (std::size_t column = 0; column < end; ++column) {
      const ShellPair& ket = ket_pairs[column];
      const double bound = bra.bound * ket.bound;
      if (!(bound > least)) break;  // the pairs that follow are smaller
      visit(bra, ket, bound);
    }
  }
}

}  // namespace lagoon::atoll::chem
