#include "pair_density.hpp"

#include <algorithm>

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

void pair_density_coulomb(const DensityViews& d, const Extents& n, double factor, double* gamma) {
  if (factor == 0.0) {
    std::fill_n(gamma, n.size(), 0.0);
    return;
  }
  for (int l = 0; l < n.l; ++l)
    for (int k = 0; k < n.k; ++k) {
      const double d_kl = factor * d.kl(k, l);
      for (int j = 0; j < n.j; ++j)
        for (int i = 0; i < n.i; ++i) *gamma++ = d.ij(i, j) * d_kl;
    }
}

void pair_density_exchange(const DensityViews& d, const Extents& n, double factor, double* gamma) {
  for (int l = 0; l < n.l; ++l)
    for (int k = 0; k < n.k; ++k)
      for (int j = 0; j < n.j; ++j) {
        const double d_jl = factor * d.jl(j, l), d_jk = factor * d.jk(j, k);
        for (int i = 0; i < n.i; ++i) *gamma++ += d.ik(i, k) * d_jl + d.il(i, l) * d_jk;
      }
}

ATOLL_EACH_PROCESSOR double dot(const double* a, const double* b, std::ptrdiff_t count) {
  double parts[8] = {};
  std::ptrdiff_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int lane = 0; lane < 8; ++lane) parts[lane] += a[i + lane] * b[i + lane];
  double sum = 0;
  for (; i < count; ++i) sum += a[i] * b[i];
  for (double part : parts) sum += part;
  return sum;
}

}  // namespace lagoon::atoll::chem
