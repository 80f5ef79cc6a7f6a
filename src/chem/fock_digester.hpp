// FockDigester: one task of a Fock build: the density tiles that its integrals meet and the tiles
// that they add to. What computes integrals, and what reads stored ones, hand them to it.
//
// Coulomb and exchange are both optional. The Coulomb tiles are of one density (the sum of all),
// those of the exchange of one or several.
#pragma once

#include <optional>

#include "digest.hpp"
#include "pair_tiles.hpp"
#include "shell_pairs.hpp"
#include "tile.hpp"

namespace lagoon::atoll::chem {

/// Tiles are of blocks (larger, smaller): `jk` is of (K, J) when K > J, `jl` of (L, J) when L > J.
/// Tiles may be the same object where blocks coincide.
struct CoulombTiles {
  const DensityTile *density_ij, *density_kl;
  FockTile *fock_ij, *fock_kl;
};
struct ExchangeTiles {
  const DensityTile *density_ik, *density_il, *density_jk, *density_jl;
  FockTile *fock_ik, *fock_il, *fock_jk, *fock_jl;
};

/// The tiles of a task.
struct TaskTiles {
  std::optional<CoulombTiles> coulomb;
  std::optional<ExchangeTiles> exchange;
};

class FockDigester {
 public:
  /// `sums`: room for 6 numbers for every pair of functions of the largest shell. Throws
  /// std::invalid_argument when a tile is of other blocks or has other densities than its fellows.
  FockDigester(const ShellBlocks& blocks, const BlockQuartet& task,
               const std::optional<CoulombTiles>& coulomb,
               const std::optional<ExchangeTiles>& exchange, double* sums);

  /// The largest density element an integral can meet, as it counts in screening: for Coulomb four
  /// times.
  double largest_density() const noexcept { return largest_; }
  double largest_density(int i, int j, int k, int l) const noexcept {
    double largest = 0;
    if (coulomb_) largest = 4.0 * std::max(maxima_[0][ij_.pair(i, j)], maxima_[1][kl_.pair(k, l)]);
    if (exchange_) {
      const double with_k = std::max(maxima_[2][ik_.pair(i, k)], maxima_[4][jk_.pair(j, k)]);
      const double with_l = std::max(maxima_[3][il_.pair(i, l)], maxima_[5][jl_.pair(j, l)]);
      largest = std::max(largest, std::max(with_k, with_l));
    }
    return largest;
  }

  /// Adds what the integrals of a canonical quartet contribute; may change them.
  void add(double* integrals, int i, int j, int k, int l) const;

 private:
  /// Of density and matrix number `set`.
  void views(int set, int i, int j, int k, int l, DensityViews& density, FockViews& fock) const;
  void digest(int set, const double* integrals, const Extents& n, const DensityViews& density,
              const FockViews& fock) const;
  void digest_apart(int set, const double* integrals, const Extents& n, const DensityViews& density,
                    const FockViews& fock, int i, int j, int k, int l) const;

  const ShellBlocks& blocks_;
  PairPlaces ij_, kl_, ik_, il_, jk_, jl_;
  bool coulomb_, exchange_;
  int sets_ = 1;
  double largest_ = 0;
  // In the order ij, kl, ik, il, jk, jl.
  const double* density_[6] = {};
  const double* maxima_[6] = {};
  double* fock_[6] = {};
  std::ptrdiff_t stride_[6] = {};
  double* sums_;
};

}  // namespace lagoon::atoll::chem
