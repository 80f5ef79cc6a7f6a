// Sparse matrices out of others, dense arrays out of sparse ones and the other way round, and
// sparse matrices as text. All are collective.
#pragma once

#include <cstdint>
#include <string>

#include "compat/ga/language.hpp"

namespace lagoon::atoll::ga::sparse {

int duplicate(std::int64_t s_a);
/// A sparse matrix of the elements that are not zero, on the default group.
int sparse_of_dense(Language language, std::int64_t g_a);
/// A dense array.
int dense_of_sparse(Language language, std::int64_t s_a);
/// A file in Matrix Market's coordinate format, which counts from 1; process 0 writes it.
void write_text(std::int64_t s_a, const std::string& path);

}  // namespace lagoon::atoll::ga::sparse
