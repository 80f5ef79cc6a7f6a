// Dense pictures of a sparse matrix: a column of it, and a random sketch. All are collective.
#pragma once

#include <cstdint>

#include "compat/ga/language.hpp"

namespace lagoon::atoll::ga::sparse {

/// A new vector of the rows' length that holds column `j`, counted from 0, and lies as the rows do.
/// Error(index) for a column that is none.
int column(std::int64_t s_a, std::int64_t j);

/// The handles of new arrays: S A, of `extent` rows, with S[k[i], i] = w[i] for a matrix A of n
/// rows; k[i] of 0 ... `extent` - 1, of C_INT, and w[i] = 1 or -1, of A's type, both of length n.
struct Sketch {
  int product, k, w;
};
/// Drawn from GA's generator of random numbers, as it stands on the group's first process: the same
/// on any number of processes. Error(value) for an extent below 1.
Sketch count_sketch(Language language, std::int64_t s_a, std::int64_t extent);

}  // namespace lagoon::atoll::ga::sparse
