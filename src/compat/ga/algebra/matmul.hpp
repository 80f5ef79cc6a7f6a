// The product of matrices and of patches with two dimensions longer than one, in the sense of
// either language. Collective.
#pragma once

#include <cstdint>

#include "compat/ga/algebra/section.hpp"

namespace lagoon::atoll::ga {

/// One of the matrices, with its letter: n, t, or c for the adjoint.
struct MatrixOperand {
  Section section;
  char form = 'n';
};

/// A factor of which op(A) is given by its bounds, as GA's calls for patches have it: where `form`
/// transposes, rows of `bounds` are columns of the array.
MatrixOperand factor(std::int64_t handle, Patch bounds, char form);

/// c = alpha op(a) op(b) + beta c, with rows and columns as C sees them.
void multiply_matrices(const Scalar& alpha, const MatrixOperand& a, const MatrixOperand& b,
                       const Scalar& beta, const Section& c);

/// The same with the rows of either language: seen from Fortran all matrices are transposed, and so
/// the factors change places.
template <Language language>
void multiply_as(const Scalar& alpha, const MatrixOperand& a, const MatrixOperand& b,
                 const Scalar& beta, const Section& c) {
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
