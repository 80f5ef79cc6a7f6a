// The energy of the (T) correction of open shells, from products of matrices, for one virtual
// orbital a, some b, and some c side by side in lanes: the permutations that a product lacks, the
// denominators and both sums in one pass.
//
// Occupied orbitals i < j of one spin are packed as pairs: j (j - 1) / 2 + i. "Singles" are one or
// two kinds of numbers for each occupied and virtual orbital: the amplitudes t_ia, and where the
// orbitals are not canonical, f_ia. Each kind has its own "partners": integrals, or amplitudes.
#pragma once

namespace lagoon::atoll::chem {

/// Sums of W W / D, the bracket correction [T], and of W V / D.
struct OpenTriplesSums {
  double connected = 0, disconnected = 0;
};

/// What both cases of spins have, for o occupied orbitals of the spin of a and b, and O of that of
/// c. There are `count_c` orbitals c in `lanes`, four or a multiple of eight; the rest is filled
/// with numbers that give no infinity, and does not count.
struct OpenTriplesTerms {
  int occupied, occupied_c, count_b, count_c, lanes, kinds;
  const double* singles_a;    // kinds x o
  const double* singles_b;    // kinds x b x o
  const double* singles_c;    // kinds x O x lanes
  const double* partners_bc;  // kinds x b x o x O x lanes
  const double* partners_ac;  // kinds x o x O x lanes
  const double* partners_ab;  // kinds x b x o x o
  const double *occupied_energies, *occupied_energies_c;
  double energy_a;
  const double *energies_b, *energies_c;  // of c: lanes
};

/// Of one spin, with p pairs of occupied orbitals: what pairs j, k of a, b and c give with i of
/// both others.
struct SameSpinProducts {
  const double *a, *b, *c;  // p x b x o x lanes, b x p x o x lanes, b x o x p x lanes
  bool same_bc;             // only c < b count
};

/// Of two spins, k being of the spin of c.
struct MixedSpinProducts {
  // j, k of a, of b and of c with i: o O x b x o x lanes, b x o O x o x lanes, b x o x o O x lanes.
  const double *a, *b, *c;
  // Pairs i, j of a and of b with k: p x b x O x lanes, b x p x O x lanes.
  const double *pairs_a, *pairs_b;
};

OpenTriplesSums open_triples_energy(const OpenTriplesTerms& terms,
                                    const SameSpinProducts& products);
OpenTriplesSums open_triples_energy(const OpenTriplesTerms& terms,
                                    const MixedSpinProducts& products);

}  // namespace lagoon::atoll::chem
