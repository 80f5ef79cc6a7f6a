// Strings, which say what orbitals the electrons of one spin occupy (one bit each, the first
// orbital the lowest), and what operators do to them. Creators stand in the order of their
// orbitals, those of the first orbital leftmost.
//
// Tables are between two lists of strings: what an operator makes of `from` is looked for in `to`.
// All pairs are looked at (an XOR and a count of bits each), so that lists may be any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lagoon::atoll::chem {

using String = std::uint64_t;

/// Where E_kl = a+_k a_l, k = l among them, leads from one list of strings to another; ordered by
/// `to`. An entry says <to| E_kl |from> = sign, with k times orbitals plus l as `pair`.
struct Singles {
  std::vector<std::int32_t> to, from, pair;
  std::vector<std::int8_t> sign;
};

/// Rows one after another: row r has the elements starts[r] to starts[r + 1].
struct SparseMatrix {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

/// h_kl, orbitals x orbitals, and (kl|ij), pairs x pairs with all pairs kl; in hartree, real and
/// symmetric. They must outlive this.
struct MolecularIntegrals {
  int orbitals;
  std::span<const double> one, two;
};

Singles singles(std::span<const String> to, std::span<const String> from, int orbitals);

/// <to|H|from> of electrons of one spin alone.
SparseMatrix same_spin(std::span<const String> to, std::span<const String> from,
                       const MolecularIntegrals& integrals);

/// <a b|H|a' b'> of some determinants, each an alpha and a beta string: a square matrix.
std::vector<double> determinant_matrix(std::span<const String> alpha, std::span<const String> beta,
                                       const MolecularIntegrals& integrals);

}  // namespace lagoon::atoll::chem
