// The loop over shell quartets of a task: screening, integrals, digestion.
#include "fock_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace lagoon::atoll::chem {

namespace {

template <class Tile>
void require_blocks(const Tile& tile, int a, int b) {
  if (tile.p() != std::max(a, b) || tile.q() != std::min(a, b))
    throw std::invalid_argument("a tile does not belong to the blocks of the task");
}

/// A density tile and the Fock tile of the same blocks, seen by shell pairs (p, q) whichever of
/// their blocks is the larger.
class TilePair {
 public:
  TilePair(const ShellBlocks& blocks, int block_p, int block_q, const DensityTile& density,
           FockTile& fock)
      : blocks_(blocks),
        flipped_(block_p < block_q),
        row_shell_(blocks.begin(std::max(block_p, block_q))),
        column_shell_(blocks.begin(std::min(block_p, block_q))),
        column_shells_(blocks.shells(std::min(block_p, block_q))),
        row_(blocks.first(row_shell_)),
        column_(blocks.first(column_shell_)),
        columns_(blocks.functions(std::min(block_p, block_q))),
        density_(density),
        fock_(fock.values()) {
    require_blocks(density, block_p, block_q);
    require_blocks(fock, block_p, block_q);
  }

  double maximum() const { return density_.maximum(); }
  double maximum(int p, int q) const {
    if (flipped_) std::swap(p, q);
    return density_.maxima()[(p - row_shell_) * column_shells_ + q - column_shell_];
  }
  PairView<const double> density(int p, int q) const { return view(density_.values(), p, q); }
  PairView<double> fock(int p, int q) const { return view(fock_, p, q); }
  /// A view of `memory` with the element order of this tile.
  PairView<double> like_fock(double* memory, int p, int q) const {
    return flipped_ ? PairView<double>{memory, blocks_.width(q), 1}
                    : PairView<double>{memory, 1, blocks_.width(p)};
  }

 private:
  template <class T>
  PairView<T> view(T* values, int p, int q) const {
    if (!flipped_) return {values + offset(p, q), 1, blocks_.width(p)};
    return {values + offset(q, p), blocks_.width(q), 1};
  }
  /// As ShellBlocks::offset, from what is constant in a task.
  std::ptrdiff_t offset(int p, int q) const {
    return (blocks_.first(p) - row_) * columns_ + (blocks_.first(q) - column_) * blocks_.width(p);
  }

  const ShellBlocks& blocks_;
  bool flipped_;
  int row_shell_, column_shell_, column_shells_, row_, column_, columns_;
  const DensityTile& density_;
  double* fock_;
};

/// Adds the quartet's contributions by way of separate sums: needed when shells coincide, since two
/// of the six targets are then one place.
template <class Targets>
void digest_apart(const double* integrals, const Extents& n, const DensityViews& density,
                  const FockViews& fock, const Targets& like, double* sums) {
  const std::array<int, 6> sizes{n.i * n.j, n.k * n.l, n.i * n.k, n.i * n.l, n.j * n.k, n.j * n.l};
  std::array<double*, 6> parts{};
  double* end = sums;
  for (std::size_t target = 0; target < 6; ++target) {
    parts[target] = end;
    end += sizes[target];
  }
  std::fill(sums, end, 0.0);
  digest(integrals, n, density, like(parts));
  const std::array<double*, 6> targets{fock.ij.data, fock.kl.data, fock.ik.data,
                                       fock.il.data, fock.jk.data, fock.jl.data};
  for (std::size_t target = 0; target < 6; ++target)
    for (int element = 0; element < sizes[target]; ++element)
      targets[target][element] += parts[target][element];
}

}  // namespace

/// What is constant in a task.
struct FockKernel::Task {
  Task(const ShellBlocks& blocks, int i, int j, int k, int l, const TaskDensity& d,
       const TaskFock& f)
      : ij(blocks, i, j, *d.ij, *f.j_ij),
        kl(blocks, k, l, *d.kl, *f.j_kl),
        ik(blocks, i, k, *d.ik, *f.k_ik),
        il(blocks, i, l, *d.il, *f.k_il),
        jk(blocks, j, k, *d.jk, *f.k_jk),
        jl(blocks, j, l, *d.jl, *f.k_jl) {}

  /// The largest density element an integral can meet, as it counts in screening.
  double largest_density() const {
    return std::max({4.0 * ij.maximum(), 4.0 * kl.maximum(), ik.maximum(), il.maximum(),
                     jk.maximum(), jl.maximum()});
  }
  double largest_density(int i, int j, int k, int l) const {
    const double coulomb = std::max(ij.maximum(i, j), kl.maximum(k, l));
    const double with_k = std::max(ik.maximum(i, k), jk.maximum(j, k));
    const double with_l = std::max(il.maximum(i, l), jl.maximum(j, l));
    return std::max(4.0 * coulomb, std::max(with_k, with_l));
  }

  TilePair ij, kl, ik, il, jk, jl;
};

FockKernel::FockKernel(Integrals integrals, std::span<const int> block_starts)
    : integrals_(std::move(integrals)),
      blocks_(integrals_, block_starts),
      buffer_(integrals_.buffer_size()),
      scratch_(integrals_.scratch_size()) {
  int widest = 0;
  for (int shell = 0; shell < shells(); ++shell) widest = std::max(widest, blocks_.width(shell));
  accumulators_.resize(6 * static_cast<std::size_t>(widest * widest));
}

std::vector<double> FockKernel::schwarz_bounds(int block_p, int block_q) {
  blocks_.check(block_p);
  blocks_.check(block_q);
  std::vector<double> bounds;
  for (int p = blocks_.begin(block_p); p < blocks_.end(block_p); ++p)
    for (int q = blocks_.begin(block_q); q < blocks_.end(block_q); ++q) {
      double largest = 0;
      if (integrals_.compute(p, q, p, q, buffer_.data(), scratch_.data())) {
        const auto pair = static_cast<std::size_t>(blocks_.width(p) * blocks_.width(q));
        // Function pairs (ab|ab) stand on the diagonal of the quartet as a matrix over pairs.
        for (std::size_t ab = 0; ab < pair; ++ab)
          largest = std::max(largest, std::abs(buffer_[ab * (pair + 1)]));
      }
      bounds.push_back(std::sqrt(largest));
    }
  return bounds;
}

void FockKernel::set_bounds(std::span<const double> bounds, double tolerance) {
  const auto n = static_cast<std::size_t>(shells());
  if (bounds.size() != n * n)
    throw std::invalid_argument("the bounds must be a matrix of shells by shells");
  tolerance_ = tolerance;
  double largest = 0;
  for (double bound : bounds) largest = std::max(largest, bound);
  largest *= 4 * largest_density_element;  // what the bound of a pair can be multiplied with
  pairs_.clear();
  for (int block_p = 0; block_p < blocks_.blocks(); ++block_p)
    for (int block_q = 0; block_q <= block_p; ++block_q) {
      auto& list = pairs_.emplace_back();
      for (int p = blocks_.begin(block_p); p < blocks_.end(block_p); ++p)
        for (int q = blocks_.begin(block_q); q < blocks_.end(block_q); ++q) {
          if (block_p == block_q && q > p) break;
          const double bound =
              bounds[static_cast<std::size_t>(p) * n + static_cast<std::size_t>(q)];
          if (bound * largest > tolerance) list.push_back({bound, p, q});
        }
      std::stable_sort(list.begin(), list.end(),
                       [](const auto& a, const auto& b) { return a.bound > b.bound; });
    }
}

bool FockKernel::contract_quartet(const Task& task, int i, int j, int k, int l) {
  if (!integrals_.compute(i, j, k, l, buffer_.data(), scratch_.data())) return false;
  const Extents n{blocks_.width(i), blocks_.width(j), blocks_.width(k), blocks_.width(l)};
  const DensityViews density{task.ij.density(i, j), task.kl.density(k, l), task.ik.density(i, k),
                             task.il.density(i, l), task.jk.density(j, k), task.jl.density(j, l)};
  const FockViews fock{task.ij.fock(i, j), task.kl.fock(k, l), task.ik.fock(i, k),
                       task.il.fock(i, l), task.jk.fock(j, k), task.jl.fock(j, l)};
  if (i != j && k != l && i != k && i != l && j != k && j != l) {
    digest(buffer_.data(), n, density, fock);
    return true;
  }

  double factor = 1.0;
  if (i == j) factor *= 0.5;
  if (k == l) factor *= 0.5;
  if (i == k && j == l) factor *= 0.5;
  const auto size = static_cast<std::ptrdiff_t>(n.i) * n.j * n.k * n.l;
  std::for_each_n(buffer_.begin(), size, [factor](double& value) { value *= factor; });
  const auto like_tiles = [&](const std::array<double*, 6>& parts) -> FockViews {
    return {task.ij.like_fock(parts[0], i, j), task.kl.like_fock(parts[1], k, l),
            task.ik.like_fock(parts[2], i, k), task.il.like_fock(parts[3], i, l),
            task.jk.like_fock(parts[4], j, k), task.jl.like_fock(parts[5], j, l)};
  };
  digest_apart(buffer_.data(), n, density, fock, like_tiles, accumulators_.data());
  return true;
}

std::int64_t FockKernel::contract(int block_i, int block_j, int block_k, int block_l,
                                  const TaskDensity& d, const TaskFock& f) {
  for (int block : {block_i, block_j, block_k, block_l}) blocks_.check(block);
  const bool canonical = block_i >= block_j && block_k >= block_l &&
                         std::pair(block_i, block_j) >= std::pair(block_k, block_l);
  if (!canonical) throw std::invalid_argument("the blocks of a task must be canonical");
  if (pairs_.empty()) throw std::invalid_argument("the Schwarz bounds have not been set");

  const Task task(blocks_, block_i, block_j, block_k, block_l, d, f);
  // What Q_ij Q_kl must exceed; infinite for a density of zeros.
  const double least = tolerance_ / task.largest_density();
  const auto& bra_pairs = pairs(block_i, block_j);
  const auto& ket_pairs = pairs(block_k, block_l);
  const bool same_pairs = block_i == block_k && block_j == block_l;
  std::int64_t computed = 0;
  for (std::size_t bra = 0; bra < bra_pairs.size(); ++bra) {
    const auto [bra_bound, i, j] = bra_pairs[bra];
    // Of a task over one pair of blocks, every pair of shell pairs is taken once.
    const std::size_t end = same_pairs ? bra + 1 : ket_pairs.size();
    for (std::size_t ket = 0; ket < end; ++ket) {
      const auto [ket_bound, k, l] = ket_pairs[ket];
      const double bound = bra_bound * ket_bound;
      if (!(bound > least)) break;  // the pairs that follow are smaller
      if (bound * task.largest_density(i, j, k, l) <= tolerance_) continue;
      if (contract_quartet(task, i, j, k, l)) ++computed;
    }
  }
  return computed;
}

}  // namespace lagoon::atoll::chem
