// FockKernel: the Coulomb and exchange contributions of one quartet of shell blocks.
//
// A task (IJ|KL) covers every canonical shell quartet with i in I, j in J, k in K, l in L; tasks
// with I >= J, K >= L and pair IJ >= pair KL together cover each symmetry-distinct integral once.
// Screening is Schwarz's inequality times the largest density element that an integral meets:
//     Q_ij Q_kl max(4|D_ij|, 4|D_kl|, |D_ik|, |D_il|, |D_jk|, |D_jl|) > tolerance,  Q_ij = sqrt
//     (ij|ij).
// One thread at a time uses a kernel (it owns the work buffers).
#pragma once

#include <cstdint>
#include <vector>

#include "digest.hpp"
#include "integrals.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

/// The six density tiles of a task. Tiles are of blocks (larger, smaller): `jk` is of (K, J) when
/// K > J, `jl` of (L, J) when L > J.
struct TaskDensity {
  const DensityTile *ij, *kl, *ik, *il, *jk, *jl;
};
/// The tiles a task adds to: two of the Coulomb matrix, four of the exchange matrix. Tiles may
/// be the same object where blocks coincide.
struct TaskFock {
  FockTile *j_ij, *j_kl, *k_ik, *k_il, *k_jk, *k_jl;
};

class FockKernel {
 public:
  FockKernel(Integrals integrals, std::span<const int> block_starts);

  const ShellBlocks& blocks() const noexcept { return blocks_; }
  int shells() const noexcept { return integrals_.shells(); }

  /// sqrt(max |(ij|ij)|) for every shell i of block P and j of block Q, row-major.
  std::vector<double> schwarz_bounds(int block_p, int block_q);
  /// Takes the bounds of all shell pairs (row-major, shells x shells; the lower triangle is used)
  /// and the screening tolerance. Required before `contract`.
  void set_bounds(std::span<const double> bounds, double tolerance);

  /// Adds one task's contributions. Returns the number of shell quartets computed. Throws
  /// std::invalid_argument when the blocks are not canonical or a tile is of other blocks.
  std::int64_t contract(int block_i, int block_j, int block_k, int block_l, const TaskDensity& d,
                        const TaskFock& f);

 private:
  struct ShellPair {
    double bound;
    int p, q;
  };
  struct Task;
  const std::vector<ShellPair>& pairs(int block_p, int block_q) const {
    return pairs_[static_cast<std::size_t>(block_p * (block_p + 1) / 2 + block_q)];
  }
  bool contract_quartet(const Task& task, int i, int j, int k, int l);

  Integrals integrals_;
  ShellBlocks blocks_;
  double tolerance_ = 0;
  std::vector<std::vector<ShellPair>> pairs_;  // of block pairs p >= q; largest bound first
  std::vector<double> buffer_, scratch_, accumulators_;
};

}  // namespace lagoon::atoll::chem
