// Cholesky factors between ga_llt_f, which makes one, and ga_llt_s or ga_llt_i, which uses it up.
// The number -1 stands for a factor that an array holds itself.
#pragma once

#include <cstdint>

namespace lagoon::atoll::ga {

inline constexpr std::int64_t factor_in_array = -1;

/// LAPACK's info; if it is 0, `factor` becomes the number of a's factor. Leaves a as it is.
int make_factor(char uplo, std::int64_t a, std::int64_t& factor);
/// b becomes the solution.
void solve_with_factor(char uplo, std::int64_t a, std::int64_t b, std::int64_t factor);
/// a becomes the inverse of the matrix whose factor it is; LAPACK's info.
int invert_with_factor(char uplo, std::int64_t a, std::int64_t factor);

}  // namespace lagoon::atoll::ga
