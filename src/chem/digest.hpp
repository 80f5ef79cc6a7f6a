// Digestion: adding the integrals of one shell quartet to the six Coulomb and exchange blocks they
// belong to,
//     J_ij += 2 (ij|kl) D_kl    K_ik += (ij|kl) D_jl    K_jk += (ij|kl) D_il
//     J_kl += 2 (ij|kl) D_ij    K_il += (ij|kl) D_jk    K_jl += (ij|kl) D_ik
// Each canonical quartet is seen once; J + J^T and K + K^T of the sums are the matrices wanted,
// when the integrals of a quartet are halved for each of i = j, k = l and ij = kl. Coulomb and
// exchange may be of different densities.
#pragma once

#include <cstddef>

namespace lagoon::atoll::chem {

/// A shell pair's little matrix: element (a, b) at data[a * first + b * second].
template <class T>
struct PairView {
  T* data;
  int first, second;
  T& operator()(int a, int b) const noexcept { return data[a * first + b * second]; }
};

struct Extents {
  int i, j, k, l;
  std::ptrdiff_t size() const noexcept { return static_cast<std::ptrdiff_t>(i) * j * k * l; }
};

/// `ij`, `ik`, `il` have the functions of i fastest, without gaps: the kernel keeps blocks in the
/// order that makes it so.
struct DensityViews {
  PairView<const double> ij, kl, ik, il, jk, jl;
};
/// Where to add. The six do not overlap (the kernel gives separate accumulators).
struct FockViews {
  PairView<double> ij, kl, ik, il, jk, jl;
};

/// Each adds one quartet; `integrals` has the functions of i fastest, of l slowest.
void digest_both(const double* integrals, const Extents& n, const DensityViews& density,
                 const FockViews& fock);
/// Looks at the views of ij and kl alone.
void digest_coulomb(const double* integrals, const Extents& n, const DensityViews& density,
                    const FockViews& fock);
/// Looks at the other four alone.
void digest_exchange(const double* integrals, const Extents& n, const DensityViews& density,
                     const FockViews& fock);

}  // namespace lagoon::atoll::chem
