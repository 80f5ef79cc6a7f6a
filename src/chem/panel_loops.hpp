// The loops over a panel's matrix of one function pair (i, j): what each of its integrals (ij|kl)
// meets, and what it adds to,
//     J_ij += (ij|kl) D_kl    K_ik += (ij|kl) D_jl    K_jk += (ij|kl) D_il
//     J_kl += (ij|kl) D_ij    K_il += (ij|kl) D_jk    K_jl += (ij|kl) D_ik
// with the factor of two of Coulomb in its densities. Sums over l are left as eight parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lagoon::atoll::chem {

inline constexpr std::ptrdiff_t panel_lanes = 8;

/// Rows over l are of whole vectors, zeros in the densities where there is no l.
struct PanelRows {
  std::span<const std::uint32_t> ks;  // of the rows of the matrix
  std::ptrdiff_t columns, row;        // functions l, and numbers from one row to the next
  // Of Coulomb: matrices of all k, the sums in eight parts.
  double d_ij;
  const double* d_kl;
  double *j_ij, *j_kl;
  // Of exchange: of i and j alone; k_ik and k_jk are eight parts for each k.
  const double *d_ik, *d_jk, *d_il, *d_jl;
  double *k_ik, *k_jk, *k_il, *k_jl;
};

/// Reads up to seven numbers behind the matrix, which must be no infinities.
void add_panel_both(const double* integrals, const PanelRows& rows);
void add_panel_coulomb(const double* integrals, const PanelRows& rows);
void add_panel_exchange(const double* integrals, const PanelRows& rows);

}  // namespace lagoon::atoll::chem
