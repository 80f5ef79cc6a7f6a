// The product of matrices and of patches with two dimensions longer than one, in the sense of
// either language. Collective.
#pragma once

#include <cstdint>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// A factor of which op(A) is given by its bounds, as GA's calls for patches have it: where `form`
/// (n, t, or c for the adjoint, else Error(value)) transposes, rows of `bounds` are columns of the
/// array.
View factor(std::int64_t handle, Patch bounds, char form);

/// c = alpha op(a) op(b) + beta c, with rows and columns as C sees them.
void multiply_matrices(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                       const MutableView& c);

/// The same with the rows of either language: seen from Fortran all matrices are transposed, and so
/// the factors change places.
template <Language language>
void multiply_as(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                 const MutableView& c) {
  if constexpr (language == Language::c)
    multiply_matrices(alpha, a, b, beta, c);
  else
    multiply_matrices(alpha, b, a, beta, c);
}

/// What BLAS calls m, n and k.
struct ProductExtents {
  std::int64_t m, n, k;
};
/// The leading parts of two-dimensional arrays, of this type, else Error(type).
template <Language language>
void general_multiply(char form_a, char form_b, const ProductExtents& extents, const Scalar& alpha,
                      std::int64_t g_a, std::int64_t g_b, const Scalar& beta, std::int64_t g_c,
                      ElementType type);

}  // namespace lagoon::atoll::ga
