// The second-order energies of pairs of electrons, from integrals (ia|jb) of blocks of occupied
// orbitals i and j: sums over a and b of g g / d and g (g - g^T) / d, with
//     g = (ia|jb),  g^T = (ib|ja),  d = e_i + e_j - e_a - e_b.
#pragma once

#include <span>

namespace lagoon::atoll::chem {

struct PairEnergies {
  double same, opposite;  // of electrons of the same spin (0 of two spins), and of opposite ones
};

/// Energies in hartree of the orbitals of a block, and the number of its first one.
struct OccupiedBlock {
  std::span<const double> energies;
  int first;
};

enum class PairsOf {
  two_spins,  // all pairs; opposite spins only
  one_spin,   // pairs with i >= j, those with i > j counted twice
};

/// `integrals` is a matrix (ia) x (jb), row by row: a and b, the virtual orbitals of either spin,
/// are fastest. Throws std::invalid_argument if it has another size, or if the virtual orbitals of
/// one spin are not as many on both sides.
PairEnergies pair_energies(std::span<const double> integrals, const OccupiedBlock& left,
                           const OccupiedBlock& right, std::span<const double> virtual_left,
                           std::span<const double> virtual_right, PairsOf pairs);

}  // namespace lagoon::atoll::chem
