// Products with sparse matrices, written once for both languages. All are collective over the
// group of the first sparse matrix.
#pragma once

#include <cstdint>

#include "compat/ga/language.hpp"

namespace lagoon::atoll::ga::sparse {

/// v = S a.
void matrix_times_vector(std::int64_t s_a, std::int64_t g_a, std::int64_t g_v);
/// A new sparse matrix A B.
int sparse_times_sparse(std::int64_t s_a, std::int64_t s_b);
/// A new dense array S B.
int sparse_times_dense(Language language, std::int64_t s_a, std::int64_t g_b);
/// A new dense array A S.
int dense_times_sparse(Language language, std::int64_t g_a, std::int64_t s_b);

}  // namespace lagoon::atoll::ga::sparse
