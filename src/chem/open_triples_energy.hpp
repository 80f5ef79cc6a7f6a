// The energy of the (T) correction of open shells, from products of matrices, for one virtual
// orbital a, some b and some c: the permutations that a product lacks, the denominators and both
// sums in one pass.
//
// Occupied orbitals i < j of one spin are packed as pairs: j (j - 1) / 2 + i. "Singles" are up to
// two kinds of numbers for each occupied and virtual orbital: the amplitudes t_ia, and with them,
// where the orbitals are not canonical, f_ia; each goes with its own part of a right row, which has
//
//   `depth` numbers of the products' operands, of which the last `others` are amplitudes,
//   then `others` integrals.
#pragma once

#include <cstddef>
#include <span>

namespace lagoon::atoll::chem {

/// Sums of W W / D, the bracket correction [T], and of W V / D.
struct OpenTriplesSums {
  double connected = 0, disconnected = 0;
};

/// Singles: kinds x orbitals b or c (of a: one) x occupied orbitals.
struct OpenSingles {
  int kinds;  // 1 or 2
  const double *a, *b, *c;
};

/// All of one spin, o occupied orbitals and p pairs of them.
struct SameSpinTriples {
  int occupied, virtuals, count_b, count_c;
  bool same_bc;  // only c < b count
  // L[a] R[bc], L[b] R[ac] and L[c] R[ab]: p x b x c x o, b x p x c x o and c x p x b x o.
  const double *products_a, *products_b, *products_c;
  // Rows of v + 2 o: b x c x o, c x o and b x o of them.
  const double *right_bc, *right_ac, *right_ab;
  OpenSingles singles;
  const double* occupied_energies;
  double energy_a;
  const double *energies_b, *energies_c;
};

/// Orbitals a, b, i and j of one spin with o and v orbitals, c and k of the other, with O and V.
struct MixedSpinTriples {
  int occupied, virtuals, other_occupied, other_virtuals, count_b, count_c;
  // j, k of a and of b with i of the other: o O x b x c x o and b x o O x c x o.
  const double *mixed_a, *mixed_b;
  // Pairs i, j of a and of b with k of the other: p x c x b x O and b x p x c x O.
  const double *pairs_a, *pairs_b;
  // k, j of c with i of a and b: c x O o x b x o.
  const double* mixed_c;
  // Rows of V + 2 O: b x c x o and c x o of them; rows of v + 2 o: b x o.
  const double *right_bc, *right_ac, *right_ab;
  OpenSingles singles;
  const double *occupied_energies, *other_energies;
  double energy_a;
  const double *energies_b, *energies_c;
};

OpenTriplesSums open_triples_energy(const SameSpinTriples& terms);
OpenTriplesSums open_triples_energy(const MixedSpinTriples& terms);

}  // namespace lagoon::atoll::chem
