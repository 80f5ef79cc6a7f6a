// BlockIntegrals: all integrals of one quartet of shell blocks, as an array for matrix products.
//
// A task (IJ|KL) is canonical, as those of FockKernel are; every canonical quartet of its shells is
// computed once and written wherever its integrals stand in the array. Screening is Schwarz's
// inequality times the largest element of what the integrals are multiplied with by exchange,
//     Q_ij Q_kl max(X_ik, X_il, X_jk, X_jl) > tolerance.
// One thread at a time uses an object (it owns the work buffers).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "integrals.hpp"
#include "shell_pairs.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

class BlockIntegrals {
 public:
  BlockIntegrals(Integrals integrals, std::span<const int> block_starts);

  const ShellBlocks& blocks() const noexcept { return blocks_; }
  int shells() const noexcept { return integrals_.shells(); }
  /// Integrals of a task's array.
  std::size_t size(const BlockQuartet& task) const;

  /// Takes the Schwarz bounds of all shell pairs (row-major, shells x shells) and the screening
  /// tolerance. Required before `compute`. Throws std::invalid_argument for another number of them
  /// or a tolerance that is not positive.
  void set_bounds(std::span<const double> bounds, double tolerance);

  /// Writes (ij|kl) of all functions i of I to l of L to `out`, i slowest, l fastest; zeros for
  /// what screening leaves out. `maxima`: the largest |X| of all shell pairs, shells x shells,
  /// symmetric. Returns the number of shell quartets computed. Throws std::out_of_range for a block
  /// that does not exist, std::invalid_argument for blocks that are not canonical, spans of a wrong
  /// length, or without bounds.
  std::int64_t compute(const BlockQuartet& task, std::span<const double> maxima,
                       std::span<double> out);

 private:
  double maximum(std::span<const double> maxima, int block_p, int block_q) const;

  Integrals integrals_;
  ShellBlocks blocks_;
  double tolerance_ = 0;
  std::unique_ptr<ShellPairs> pairs_;
  std::vector<double> buffer_, scratch_;
};

}  // namespace lagoon::atoll::chem
