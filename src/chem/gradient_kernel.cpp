#include "gradient_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "pair_tiles.hpp"

namespace lagoon::atoll::chem {

/// What is constant in a task.
class GradientKernel::Task {
 public:
  Task(const ShellBlocks& blocks, const BlockQuartet& task, const GradientTiles& tiles)
      : ij_(blocks, task.i, task.j),
        kl_(blocks, task.k, task.l),
        ik_(blocks, task.i, task.k),
        il_(blocks, task.i, task.l),
        jk_(blocks, task.j, task.k),
        jl_(blocks, task.j, task.l),
        tiles_(tiles) {
    require_blocks(*tiles.ij, task.i, task.j);
    require_blocks(*tiles.kl, task.k, task.l);
    require_blocks(*tiles.ik, task.i, task.k);
    require_blocks(*tiles.il, task.i, task.l);
    require_blocks(*tiles.jk, task.j, task.k);
    require_blocks(*tiles.jl, task.j, task.l);
    const int sets = densities();
    if (tiles.il->densities() != sets || tiles.jk->densities() != sets ||
        tiles.jl->densities() != sets || tiles.ij->densities() != 1 || tiles.kl->densities() != 1)
      throw std::invalid_argument("the tiles of a task have different numbers of densities");
  }

  int densities() const { return tiles_.ik->densities(); }

  /// Bounds the two-particle density of any quartet, times eight for the permutations.
  double largest(const EnergyWeights& w) const {
    return combine(w, tiles_.ij->maximum(), tiles_.kl->maximum(), tiles_.ik->maximum(),
                   tiles_.il->maximum(), tiles_.jk->maximum(), tiles_.jl->maximum());
  }
  double largest(const EnergyWeights& w, int i, int j, int k, int l) const {
    return combine(w, tiles_.ij->maxima()[ij_.pair(i, j)], tiles_.kl->maxima()[kl_.pair(k, l)],
                   tiles_.ik->maxima()[ik_.pair(i, k)], tiles_.il->maxima()[il_.pair(i, l)],
                   tiles_.jk->maxima()[jk_.pair(j, k)], tiles_.jl->maxima()[jl_.pair(j, l)]);
  }
  /// Of density number `set`; ij and kl are of the Coulomb density whatever the number.
  DensityViews views(int set, int i, int j, int k, int l) const {
    return {ij_.view(tiles_.ij->values(), i, j),        kl_.view(tiles_.kl->values(), k, l),
            ik_.view(values_of(*tiles_.ik, set), i, k), il_.view(values_of(*tiles_.il, set), i, l),
            jk_.view(values_of(*tiles_.jk, set), j, k), jl_.view(values_of(*tiles_.jl, set), j, l)};
  }

 private:
  static const double* values_of(const DensityTile& tile, int set) {
    return tile.values() + static_cast<std::size_t>(set) * tile.stride();
  }
  double combine(const EnergyWeights& w, double ij, double kl, double ik, double il, double jk,
                 double jl) const {
    return std::abs(w.coulomb) * 4.0 * ij * kl +
           std::abs(w.exchange) * 2.0 * densities() * (ik * jl + il * jk);
  }

  PairPlaces ij_, kl_, ik_, il_, jk_, jl_;
  const GradientTiles& tiles_;
};

GradientKernel::GradientKernel(Integrals derivatives, std::span<const int> block_starts)
    : integrals_(std::move(derivatives)),
      blocks_(integrals_, block_starts),
      buffer_(integrals_.buffer_size()),
      scratch_(integrals_.scratch_size()),
      gamma_(integrals_.buffer_size() / 3) {
  if (integrals_.components() != 3)
    throw std::invalid_argument("the derivatives must have three components");
}

void GradientKernel::set_bounds(std::span<const double> bounds,
                                std::span<const double> derivative_bounds, double tolerance) {
  if (!(tolerance > 0)) throw std::invalid_argument("the screening tolerance must be positive");
  const int shells = integrals_.shells();
  if (bounds.size() != index(shells, 0) || derivative_bounds.size() != bounds.size())
    throw std::invalid_argument("the bounds must be a matrix of shells by shells");
  bounds_.assign(bounds.begin(), bounds.end());
  derivative_bounds_.resize(bounds.size());
  std::vector<double> either(bounds.size());
  for (int p = 0; p < shells; ++p)
    for (int q = 0; q < shells; ++q) {
      derivative_bounds_[index(p, q)] =
          std::max(derivative_bounds[index(p, q)], derivative_bounds[index(q, p)]);
      either[index(p, q)] = std::max(bounds_[index(p, q)], derivative_bounds_[index(p, q)]);
    }
  pairs_ = std::make_unique<ShellPairs>(integrals_, blocks_, either, tolerance);
  tolerance_ = tolerance;
}

void GradientKernel::add_quartet(const Task& task, const EnergyWeights& weights, int i, int j,
                                 int k, int l, std::span<double> gradient) {
  const std::array<int, 4> atoms{integrals_.atom(i), integrals_.atom(j), integrals_.atom(k),
                                 integrals_.atom(l)};
  const int omitted = *std::max_element(atoms.begin(), atoms.end(), [&](int a, int b) {
    return std::count(atoms.begin(), atoms.end(), a) < std::count(atoms.begin(), atoms.end(), b);
  });
  double permutations = 8.0;
  if (i == j) permutations *= 0.5;
  if (k == l) permutations *= 0.5;
  if (i == k && j == l) permutations *= 0.5;

  // The shell that is differentiated comes first: (ij|kl), (ji|kl), (kl|ij), (lk|ij).
  const std::array<std::array<int, 4>, 4> orders{
      {{i, j, k, l}, {j, i, k, l}, {k, l, i, j}, {l, k, i, j}}};
  for (std::size_t place = 0; place < 4; ++place) {
    if (atoms[place] == omitted) continue;
    const auto [a, b, c, d] = orders[place];
    if (!integrals_.compute(a, b, c, d, buffer_.data(), scratch_.data())) continue;
    const Extents n{blocks_.width(a), blocks_.width(b), blocks_.width(c), blocks_.width(d)};
    for (int set = 0; set < task.densities(); ++set) {
      DensityViews views = task.views(set, i, j, k, l);
      if (place >= 2) views = with_ket_first(views);
      if (place % 2 == 1) views = with_second_first(views);
      if (set == 0)
        pair_density_coulomb(views, n, 0.5 * weights.coulomb * permutations, gamma_.data());
      if (weights.exchange != 0.0)
        pair_density_exchange(views, n, -0.25 * weights.exchange * permutations, gamma_.data());
    }
    for (int axis = 0; axis < 3; ++axis) {
      // An orbital moves with its atom: the derivative by the atom's position is the negative one.
      const double part = -dot(buffer_.data() + axis * n.size(), gamma_.data(), n.size());
      gradient[static_cast<std::size_t>(3 * atoms[place] + axis)] += part;
      gradient[static_cast<std::size_t>(3 * omitted + axis)] -= part;
    }
  }
}

std::int64_t GradientKernel::contract(const BlockQuartet& task, const GradientTiles& tiles,
                                      const EnergyWeights& weights, std::span<double> gradient) {
  check_canonical(blocks_, task);
  if (!pairs_) throw std::invalid_argument("the Schwarz bounds have not been set");
  if (gradient.size() != static_cast<std::size_t>(3 * atoms()))
    throw std::invalid_argument("the gradient must have three numbers for each atom");
  const Task constants(blocks_, task, tiles);
  const Rows all{0, static_cast<int>(pairs_->of(task.i, task.j).size())};
  const double least = tolerance_ / constants.largest(weights);
  std::int64_t quartets = 0;
  for_each_quartet(
      *pairs_, task, all, least, [&](const ShellPair& bra, const ShellPair& ket, double) {
        const int i = bra.p, j = bra.q, k = ket.p, l = ket.q;
        const double largest =
            std::max(derivative_bound(i, j) * bound(k, l), bound(i, j) * derivative_bound(k, l));
        if (largest * constants.largest(weights, i, j, k, l) <= tolerance_) return;
        add_quartet(constants, weights, i, j, k, l, gradient);
        ++quartets;
      });
  return quartets;
}

}  // namespace lagoon::atoll::chem
