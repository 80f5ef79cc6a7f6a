// The loops over the functions of a quartet, by vectors over the functions of i.
#include "digest.hpp"

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

enum class Part { coulomb, exchange, both };

/// The functions i0 <= i < i0 + Width of a quartet; the width is known to the compiler, so the
/// vectors over i live in registers.
template <Part part, int Width>
[[gnu::always_inline]] inline void digest_columns(const double* integrals, const Extents& n, int i0,
                                                  const DensityViews& d, const FockViews& f) {
  constexpr bool coulomb = part != Part::exchange, exchange = part != Part::coulomb;
  for (int l = 0; l < n.l; ++l) {
    [[maybe_unused]] const double* d_il = exchange ? d.il.data + l * n.i + i0 : nullptr;
    [[maybe_unused]] double* f_il = exchange ? f.il.data + l * n.i + i0 : nullptr;
    for (int k = 0; k < n.k; ++k) {
      [[maybe_unused]] const double* d_ik = exchange ? d.ik.data + k * n.i + i0 : nullptr;
      [[maybe_unused]] double* f_ik = exchange ? f.ik.data + k * n.i + i0 : nullptr;
      [[maybe_unused]] const double d_kl = coulomb ? 2.0 * d.kl(k, l) : 0.0;
      [[maybe_unused]] double ik[Width] = {}, il[Width] = {}, kl[Width] = {};
      const double* g = integrals + static_cast<std::ptrdiff_t>(n.i) * n.j * (k + n.k * l) + i0;
      for (int j = 0; j < n.j; ++j, g += n.i) {
        [[maybe_unused]] const double* d_ij = coulomb ? d.ij.data + j * n.i + i0 : nullptr;
        [[maybe_unused]] double* __restrict f_ij = coulomb ? f.ij.data + j * n.i + i0 : nullptr;
        [[maybe_unused]] const double d_jk = exchange ? d.jk(j, k) : 0.0;
        [[maybe_unused]] const double d_jl = exchange ? d.jl(j, l) : 0.0;
        [[maybe_unused]] double jk = 0, jl = 0;
        for (int i = 0; i < Width; ++i) {
          const double value = g[i];
          if constexpr (coulomb) {
            f_ij[i] += value * d_kl;
            kl[i] += value * d_ij[i];
          }
          if constexpr (exchange) {
            ik[i] += value * d_jl;
            il[i] += value * d_jk;
            jk += value * d_il[i];
            jl += value * d_ik[i];
          }
        }
        if constexpr (exchange) {
          f.jk(j, k) += jk;
          f.jl(j, l) += jl;
        }
      }
      if constexpr (exchange)
        for (int i = 0; i < Width; ++i) {
          f_ik[i] += ik[i];
          f_il[i] += il[i];
        }
      if constexpr (coulomb) {
        double sum = 0;
        for (int i = 0; i < Width; ++i) sum += kl[i];
        f.kl(k, l) += 2.0 * sum;
      }
    }
  }
}

template <Part part>
[[gnu::always_inline]] inline void digest_all(const double* integrals, const Extents& n,
                                              const DensityViews& d, const FockViews& f) {
  int i0 = 0;
  for (; n.i - i0 >= 8; i0 += 8) digest_columns<part, 8>(integrals, n, i0, d, f);
  switch (n.i - i0) {
    case 1: return digest_columns<part, 1>(integrals, n, i0, d, f);
    case 2: return digest_columns<part, 2>(integrals, n, i0, d, f);
    case 3: return digest_columns<part, 3>(integrals, n, i0, d, f);
    case 4: return digest_columns<part, 4>(integrals, n, i0, d, f);
    case 5: return digest_columns<part, 5>(integrals, n, i0, d, f);
    case 6: return digest_columns<part, 6>(integrals, n, i0, d, f);
    case 7: return digest_columns<part, 7>(integrals, n, i0, d, f);
    default: return;
  }
}

}  // namespace

ATOLL_EACH_PROCESSOR void digest_both(const double* integrals, const Extents& n,
                                      const DensityViews& d, const FockViews& f) {
  digest_all<Part::both>(integrals, n, d, f);
}

ATOLL_EACH_PROCESSOR void digest_coulomb(const double* integrals, const Extents& n,
                                         const DensityViews& d, const FockViews& f) {
  digest_all<Part::coulomb>(integrals, n, d, f);
}

ATOLL_EACH_PROCESSOR void digest_exchange(const double* integrals, const Extents& n,
                                          const DensityViews& d, const FockViews& f) {
  digest_all<Part::exchange>(integrals, n, d, f);
}

}  // namespace lagoon::atoll::chem
