// The two-particle density of a Hartree-Fock-like energy, for one quartet of shells:
//     Gamma_abcd = coulomb/2 Dt_ab Dt_cd - exchange/4 sum_s (D_ac D_bd + D_ad D_bc),
// Dt the density of the Coulomb energy, D those of the exchange energy; symmetric as the integrals
// (ab|cd) are.
#pragma once

#include "digest.hpp"

namespace lagoon::atoll::chem {

struct EnergyWeights {
  double coulomb, exchange;
};

template <class T>
PairView<T> transposed(const PairView<T>& view) noexcept {
  return {view.data, view.second, view.first};
}

/// The views of a quartet of shells (ij|kl) as those of (ji|kl).
inline DensityViews with_second_first(const DensityViews& d) noexcept {
  return {transposed(d.ij), d.kl, d.jk, d.jl, d.ik, d.il};
}
/// As those of (kl|ij).
inline DensityViews with_ket_first(const DensityViews& d) noexcept {
  return {d.kl, d.ij, transposed(d.ik), transposed(d.jk), transposed(d.il), transposed(d.jl)};
}

/// Writes the Coulomb part of factor times Gamma, i fastest; zeros where there is no such part.
void pair_density_coulomb(const DensityViews& d, const Extents& n, double factor, double* gamma);
/// Adds the exchange part of one density.
void pair_density_exchange(const DensityViews& d, const Extents& n, double factor, double* gamma);

/// The sum of the products of `count` numbers.
double dot(const double* a, const double* b, std::ptrdiff_t count);

}  // namespace lagoon::atoll::chem
