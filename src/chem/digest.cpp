// The loops over the functions of a quartet, by vectors over the functions of i.
#include "digest.hpp"

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

/// The functions i0 <= i < i0 + Width of a quartet; the width is known to the compiler, so the
/// vectors over i live in registers.
template <int Width>
[[gnu::always_inline]] inline void digest_columns(const double* integrals, const Extents& n, int i0,
                                                  const DensityViews& d, const FockViews& f) {
  for (int l = 0; l < n.l; ++l) {
    const double* d_il = d.il.data + l * n.i + i0;
    double* f_il = f.il.data + l * n.i + i0;
    for (int k = 0; k < n.k; ++k) {
      const double* d_ik = d.ik.data + k * n.i + i0;
      double* f_ik = f.ik.data + k * n.i + i0;
      const double d_kl = 2.0 * d.kl(k, l);
      double ik[Width] = {}, il[Width] = {}, kl[Width] = {};
      const double* g = integrals + static_cast<std::ptrdiff_t>(n.i) * n.j * (k + n.k * l) + i0;
      for (int j = 0; j < n.j; ++j, g += n.i) {
        const double* d_ij = d.ij.data + j * n.i + i0;
        double* __restrict f_ij = f.ij.data + j * n.i + i0;
        const double d_jk = d.jk(j, k), d_jl = d.jl(j, l);
        double jk = 0, jl = 0;
        for (int i = 0; i < Width; ++i) {
          const double value = g[i];
          f_ij[i] += value * d_kl;
          kl[i] += value * d_ij[i];
          ik[i] += value * d_jl;
          il[i] += value * d_jk;
          jk += value * d_il[i];
          jl += value * d_ik[i];
        }
        f.jk(j, k) += jk;
        f.jl(j, l) += jl;
      }
      double sum = 0;
      for (int i = 0; i < Width; ++i) {
        f_ik[i] += ik[i];
        f_il[i] += il[i];
        sum += kl[i];
      }
      f.kl(k, l) += 2.0 * sum;
    }
  }
}

}  // namespace

ATOLL_EACH_PROCESSOR void digest(const double* integrals, const Extents& n, const DensityViews& d,
                                 const FockViews& f) {
  int i0 = 0;
  for (; n.i - i0 >= 8; i0 += 8) digest_columns<8>(integrals, n, i0, d, f);
  switch (n.i - i0) {
    case 1: return digest_columns<1>(integrals, n, i0, d, f);
    case 2: return digest_columns<2>(integrals, n, i0, d, f);
    case 3: return digest_columns<3>(integrals, n, i0, d, f);
    case 4: return digest_columns<4>(integrals, n, i0, d, f);
    case 5: return digest_columns<5>(integrals, n, i0, d, f);
    case 6: return digest_columns<6>(integrals, n, i0, d, f);
    case 7: return digest_columns<7>(integrals, n, i0, d, f);
    default: return;
  }
}

}  // namespace lagoon::atoll::chem
