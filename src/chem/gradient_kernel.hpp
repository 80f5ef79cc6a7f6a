// GradientKernel: what one quartet of shell blocks contributes to the derivative of the
// two-electron energy
//     E = coulomb/2 sum_ijkl Dt_ij Dt_kl (ij|kl) - exchange/2 sum_s sum_ijkl D_ij D_kl (ik|jl)
// by the positions of the atoms, densities held fixed.
//
// Tasks are those of FockKernel. The derivatives by the positions of a quartet's atoms add up to
// zero, so those by one of them, the atom with most of the four shells, are not computed.
// Screening is Schwarz's inequality for differentiated integrals, |(i'j|kl)| <= Q'_ij Q_kl, times
// the two-particle density.
// One thread at a time uses a kernel (it owns the work buffers).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "integrals.hpp"
#include "pair_density.hpp"
#include "shell_pairs.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

/// Tiles are of blocks (larger, smaller). ij and kl: of the density of the Coulomb energy; the
/// others: of all densities of the exchange energy.
struct GradientTiles {
  const DensityTile *ij, *kl, *ik, *il, *jk, *jl;
};

class GradientKernel {
 public:
  /// `derivatives`: libcint's int2e_ip1, three components, the derivative of the first function by
  /// the position of the electron. Throws std::invalid_argument for other components.
  GradientKernel(Integrals derivatives, std::span<const int> block_starts);

  const ShellBlocks& blocks() const noexcept { return blocks_; }
  int atoms() const noexcept { return integrals_.atoms(); }

  /// Takes the bounds Q and Q' of all shell pairs (row-major, shells x shells; Q' of the pair (i,
  /// j) is of the derivative of i) and the tolerance (hartree/bohr). Required before `contract`.
  void set_bounds(std::span<const double> bounds, std::span<const double> derivative_bounds,
                  double tolerance);

  /// Adds a task's contributions to `gradient` (atoms x 3, hartree/bohr) and returns the number of
  /// shell quartets that screening has left. Throws std::out_of_range for a block that does not
  /// exist, std::invalid_argument when the blocks are not canonical or a tile is of other blocks.
  std::int64_t contract(const BlockQuartet& task, const GradientTiles& tiles,
                        const EnergyWeights& weights, std::span<double> gradient);

 private:
  class Task;
  void add_quartet(const Task& task, const EnergyWeights& weights, int i, int j, int k, int l,
                   std::span<double> gradient);
  double bound(int p, int q) const { return bounds_[index(p, q)]; }
  double derivative_bound(int p, int q) const { return derivative_bounds_[index(p, q)]; }
  std::size_t index(int p, int q) const {
    return static_cast<std::size_t>(p) * static_cast<std::size_t>(integrals_.shells()) +
           static_cast<std::size_t>(q);
  }

  Integrals integrals_;
  ShellBlocks blocks_;
  double tolerance_ = 0;
  std::vector<double> bounds_, derivative_bounds_;  // the latter of either function, symmetric
  std::unique_ptr<ShellPairs> pairs_;
  std::vector<double> buffer_, scratch_, gamma_;
};

}  // namespace lagoon::atoll::chem
