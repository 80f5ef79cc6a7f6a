#include "fock_digester.hpp"

#include <array>

namespace lagoon::atoll::chem {

FockDigester::FockDigester(const ShellBlocks& blocks, const BlockQuartet& task,
                           const std::optional<CoulombTiles>& coulomb,
                           const std::optional<ExchangeTiles>& exchange, double* sums)
    : blocks_(blocks),
      ij_(blocks, task.i, task.j),
      kl_(blocks, task.k, task.l),
      ik_(blocks, task.i, task.k),
      il_(blocks, task.i, task.l),
      jk_(blocks, task.j, task.k),
      jl_(blocks, task.j, task.l),
      coulomb_(coulomb.has_value()),
      exchange_(exchange.has_value()),
      sums_(sums) {
  const auto take = [&](int place, int p, int q, const DensityTile& density, FockTile& fock,
                        int sets, double weight) {
    require_blocks(density, p, q);
    require_blocks(fock, p, q);
    if (density.densities() != sets || fock.matrices() != sets)
      throw std::invalid_argument("the tiles of a task have different numbers of densities");
    density_[place] = density.values();
    maxima_[place] = density.maxima();
    fock_[place] = fock.values();
    stride_[place] = static_cast<std::ptrdiff_t>(density.stride());
    largest_ = std::max(largest_, weight * density.maximum());
  };
  if (coulomb) {
    take(0, task.i, task.j, *coulomb->density_ij, *coulomb->fock_ij, 1, 4.0);
    take(1, task.k, task.l, *coulomb->density_kl, *coulomb->fock_kl, 1, 4.0);
  }
  if (exchange) {
    sets_ = exchange->density_ik->densities();
    take(2, task.i, task.k, *exchange->density_ik, *exchange->fock_ik, sets_, 1.0);
    take(3, task.i, task.l, *exchange->density_il, *exchange->fock_il, sets_, 1.0);
    take(4, task.j, task.k, *exchange->density_jk, *exchange->fock_jk, sets_, 1.0);
    take(5, task.j, task.l, *exchange->density_jl, *exchange->fock_jl, sets_, 1.0);
  }
}

void FockDigester::views(int set, int i, int j, int k, int l, DensityViews& density,
                         FockViews& fock) const {
  if (coulomb_ && set == 0) {
    density.ij = ij_.view(density_[0], i, j);
    density.kl = kl_.view(density_[1], k, l);
    fock.ij = ij_.view(fock_[0], i, j);
    fock.kl = kl_.view(fock_[1], k, l);
  }
  if (exchange_) {
    density.ik = ik_.view(density_[2] + set * stride_[2], i, k);
    density.il = il_.view(density_[3] + set * stride_[3], i, l);
    density.jk = jk_.view(density_[4] + set * stride_[4], j, k);
    density.jl = jl_.view(density_[5] + set * stride_[5], j, l);
    fock.ik = ik_.view(fock_[2] + set * stride_[2], i, k);
    fock.il = il_.view(fock_[3] + set * stride_[3], i, l);
    fock.jk = jk_.view(fock_[4] + set * stride_[4], j, k);
    fock.jl = jl_.view(fock_[5] + set * stride_[5], j, l);
  }
}

/// The Coulomb matrix is of one density, so it comes with the first.
void FockDigester::digest(int set, const double* integrals, const Extents& n,
                          const DensityViews& density, const FockViews& fock) const {
  const bool coulomb = coulomb_ && set == 0;
  if (coulomb && exchange_)
    digest_both(integrals, n, density, fock);
  else if (coulomb)
    digest_coulomb(integrals, n, density, fock);
  else if (exchange_)
    digest_exchange(integrals, n, density, fock);
}

/// Adds the contributions by way of separate sums: needed when shells coincide, since two of the
/// six targets are then one place.
void FockDigester::digest_apart(int set, const double* integrals, const Extents& n,
                                const DensityViews& density, const FockViews& fock, int i, int j,
                                int k, int l) const {
  const std::array<int, 6> sizes{n.i * n.j, n.k * n.l, n.i * n.k, n.i * n.l, n.j * n.k, n.j * n.l};
  std::array<double*, 6> parts{};
  double* end = sums_;
  for (std::size_t target = 0; target < 6; ++target) {
    parts[target] = end;
    end += sizes[target];
  }
  std::fill(sums_, end, 0.0);
  digest(set, integrals, n, density,
         {ij_.like_tile(parts[0], i, j), kl_.like_tile(parts[1], k, l),
          ik_.like_tile(parts[2], i, k), il_.like_tile(parts[3], i, l),
          jk_.like_tile(parts[4], j, k), jl_.like_tile(parts[5], j, l)});
  const std::array<double*, 6> targets{fock.ij.data, fock.kl.data, fock.ik.data,
                                       fock.il.data, fock.jk.data, fock.jl.data};
  for (std::size_t target = 0; target < 6; ++target) {
    if (targets[target] == nullptr) continue;
    for (int element = 0; element < sizes[target]; ++element)
      targets[target][element] += parts[target][element];
  }
}

void FockDigester::add(double* integrals, int i, int j, int k, int l) const {
  const Extents n{blocks_.width(i), blocks_.width(j), blocks_.width(k), blocks_.width(l)};
  const bool apart = i == j || k == l || i == k || i == l || j == k || j == l;
  double factor = 1.0;
  if (i == j) factor *= 0.5;
  if (k == l) factor *= 0.5;
  if (i == k && j == l) factor *= 0.5;
  if (factor < 1.0)
    std::for_each_n(integrals, n.size(), [factor](double& value) { value *= factor; });
  for (int set = 0; set < sets_; ++set) {
    DensityViews density{};
    FockViews fock{};
    views(set, i, j, k, l, density, fock);
    if (apart)
      digest_apart(set, integrals, n, density, fock, i, j, k, l);
    else
      digest(set, integrals, n, density, fock);
  }
}

}  // namespace lagoon::atoll::chem
