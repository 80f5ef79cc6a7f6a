// The product of matrices, and of patches that are matrices or vectors, in the sense of either
// language. Collective.
#pragma once

#include <cstdint>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// A factor of which op(A) is given by its bounds, as GA's calls for patches have it: where `form`
/// (n, t, or c for the adjoint, else Error(value)) transposes, rows of `bounds` are columns of the
/// array.
struct PatchFactor {
  std::int64_t handle;
  Patch bounds;
  char form;
};

/// c = alpha op(a) op(b) + beta c, with rows and columns as the language sees them: from Fortran
/// all matrices are transposed, and so the factors change places. Which dimensions they are:
/// matrix_bounds.hpp.
template <Language language>
void multiply_patches(const void* alpha, const PatchFactor& a, const PatchFactor& b,
                      const void* beta, std::int64_t g_c, const Patch& bounds);

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
