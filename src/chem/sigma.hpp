// The Hamiltonian times a block of a vector over determinants, added to another block.
//
// A block is a matrix, row by row: a row for each alpha string of a list, a column for each beta
// string of another. Nothing is checked here.
#pragma once

#include <cstdint>
#include <span>

namespace lagoon::atoll::chem {

/// A sparse matrix, or its pattern, row by row.
struct SparseRows {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> columns;

  std::size_t rows() const { return starts.size() - 1; }
};

/// E_kl between lists of strings, put into groups of one pair kl: group g has the entries
/// starts[g] to starts[g + 1], all of the pair pairs[g].
struct GroupedSingles {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> pairs, to, from;
  std::span<const std::int8_t> sign;
};

/// A block of a vector that is read, and the one that is added to.
struct VectorBlocks {
  const double* vector;
  std::size_t vector_columns;
  double* sigma;
  std::size_t sigma_columns;
};

/// sigma += matrix vector: of electrons of alpha spin.
void add_rows(const SparseRows& pattern, std::span<const double> values,
              const VectorBlocks& blocks);

/// sigma += vector matrix^T: of electrons of beta spin. Both blocks have `rows` rows.
void add_columns(const SparseRows& pattern, std::span<const double> values, std::size_t rows,
                 const VectorBlocks& blocks);

/// sigma += sum over kl, ij of (kl|ij) E_kl vector E_ij^T: of electrons of opposite spins. The
/// pattern of the columns has the pair ij and the sign of each element; `two`: (kl|ij), pairs x
/// pairs.
void add_opposite_spins(const GroupedSingles& rows, const SparseRows& columns,
                        std::span<const std::int32_t> pairs, std::span<const std::int8_t> signs,
                        std::span<const double> two, std::size_t all_pairs,
                        const VectorBlocks& blocks);

}  // namespace lagoon::atoll::chem
