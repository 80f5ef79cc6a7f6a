// Diagonals of sparse matrices, and what scales their elements in place. All are collective.
#pragma once

#include <cstdint>

namespace lagoon::atoll::ga::sparse {

/// A new vector of the diagonal, with zeros where the matrix has no element.
int diagonal(std::int64_t s_a);
/// S += shift I, for the matrix's diagonal: also where it had no element.
void shift_diagonal(std::int64_t s_a, const void* shift);
void scale(std::int64_t s_a, const void* factor);
/// Row i times d[i].
void scale_rows(std::int64_t s_a, std::int64_t g_d);
/// Column j times d[j].
void scale_columns(std::int64_t s_a, std::int64_t g_d);

}  // namespace lagoon::atoll::ga::sparse
