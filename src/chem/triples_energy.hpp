// The energy of the (T) correction from W, for one pair of virtual orbitals b and c and orbitals a
// side by side in lanes (triples_products.hpp), over all occupied orbitals:
//
//   sum_ijk W_ijk r(W + V)_ijk / (e_i + e_j + e_k - e_a - e_b - e_c),
//   V_ijk = t_ia (jb|kc) + t_jb (ia|kc) + t_kc (ia|jb),
//   r(X)_ijk = 4 X_ijk + X_jki + X_kij - 2 (X_jik + X_ikj + X_kji).
#pragma once

#include <cstddef>

namespace lagoon::atoll::chem {

/// Operands of one b and c.
struct TriplesTerms {
  int occupied;
  const double* occupied_energies;
  const double* w;                      // o x o x o x lanes
  const double* singles_a;              // t_ia, o x lanes
  const double *singles_b, *singles_c;  // t_jb and t_kc, o each
  // (ia|jb) and (ia|kc), o rows of o x lanes, `row` x lanes apart; (jb|kc), o rows of o, `row`
  // apart.
  const double *integrals_ab, *integrals_ac, *integrals_bc;
  std::ptrdiff_t row;
  const double* virtual_energies;  // e_a + e_b + e_c, lanes
};

/// Sums of one lane: of W r(W), the bracket correction [T], and of V r(W).
struct TriplesSums {
  double connected, disconnected;
};

/// Writes the sums of each lane. What has lanes lies at multiples of 32 bytes; `lanes` is
/// triples_lanes or half of it.
void triples_energy(const TriplesTerms& terms, int lanes, TriplesSums* sums);

}  // namespace lagoon::atoll::chem
