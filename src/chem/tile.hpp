// Tiles: the part of densities or Fock matrices that belongs to a pair of shell blocks, in the
// order in which the quartet loop walks through it.
//
// A tile of blocks (P, Q) holds, for every shell p of P and every shell q of Q, the little matrix
// of that shell pair in one piece, functions of p fastest. The order of pairs is p slow, q fast.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "integrals.hpp"

namespace lagoon::atoll::chem {

/// Consecutive shells in blocks (usually the shells of one or several atoms).
class ShellBlocks {
 public:
  /// `starts`: the first shell of every block, ascending from 0, and at the end the number of
  /// shells. Throws std::invalid_argument otherwise.
  ShellBlocks(const Integrals& integrals, std::span<const int> starts);

  int blocks() const noexcept { return static_cast<int>(starts_.size()) - 1; }
  int begin(int block) const noexcept { return starts_[static_cast<std::size_t>(block)]; }
  int end(int block) const noexcept { return starts_[static_cast<std::size_t>(block) + 1]; }
  int shells(int block) const noexcept { return end(block) - begin(block); }
  int functions(int block) const noexcept { return first(end(block)) - first(begin(block)); }
  int first(int shell) const noexcept { return first_[static_cast<std::size_t>(shell)]; }
  int width(int shell) const noexcept { return first(shell + 1) - first(shell); }
  /// Where the shell pair (p, q) begins in a tile of blocks (P, Q).
  std::size_t offset(int block_p, int block_q, int p, int q) const noexcept {
    const int rows_before = first(p) - first(begin(block_p));
    const int columns_before = first(q) - first(begin(block_q));
    return static_cast<std::size_t>(rows_before * functions(block_q) + columns_before * width(p));
  }
  std::size_t tile_size(int block_p, int block_q) const noexcept {
    return static_cast<std::size_t>(functions(block_p)) *
           static_cast<std::size_t>(functions(block_q));
  }
  /// Throws std::out_of_range for a block that does not exist.
  void check(int block) const;

 private:
  std::vector<int> starts_, first_;
};

/// Elements of a density are no larger: pairs of shells that could matter with these alone are left
/// out for good.
inline constexpr double largest_density_element = 1e8;

/// A part of one or several densities, with the largest absolute value of every shell pair over
/// all of them for screening.
class DensityTile {
 public:
  /// `matrices`: the same patch of every density, one after another, each row-major, rows of P.
  /// Throws std::invalid_argument for an element that is larger than `largest_density_element` or
  /// no number, and where there is no density.
  DensityTile(const ShellBlocks& blocks, int block_p, int block_q,
              std::span<const double> matrices);
  int p() const noexcept { return p_; }
  int q() const noexcept { return q_; }
  int densities() const noexcept { return densities_; }
  /// Those of density n begin at n * stride().
  const double* values() const noexcept { return values_.data(); }
  std::size_t stride() const noexcept { return stride_; }
  /// Largest |D| of a shell pair; p slow, q fast.
  const double* maxima() const noexcept { return maxima_.data(); }
  double maximum() const noexcept { return maximum_; }
  std::size_t bytes() const noexcept { return (values_.size() + maxima_.size()) * sizeof(double); }

 private:
  int p_, q_, densities_ = 0;
  std::size_t stride_;
  std::vector<double> values_, maxima_;
  double maximum_ = 0;
};

/// A part of one or several matrices that the kernel adds to. Zero at first.
class FockTile {
 public:
  /// Throws std::invalid_argument unless there is a matrix.
  FockTile(const ShellBlocks& blocks, int block_p, int block_q, int matrices);
  int p() const noexcept { return p_; }
  int q() const noexcept { return q_; }
  int matrices() const noexcept { return matrices_; }
  /// Those of matrix n begin at n * stride().
  double* values() noexcept { return values_.data(); }
  std::size_t stride() const noexcept { return stride_; }
  std::size_t bytes() const noexcept { return values_.size() * sizeof(double); }
  /// Writes all to `matrices`, one after another, each row-major, rows of P.
  void unpack(const ShellBlocks& blocks, std::span<double> matrices) const;

 private:
  int p_, q_, matrices_;
  std::size_t stride_;
  std::vector<double> values_;
};

}  // namespace lagoon::atoll::chem
