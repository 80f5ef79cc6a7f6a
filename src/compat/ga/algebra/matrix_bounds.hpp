// Which two dimensions of a patch with more of them are the rows and columns of a matrix.
#pragma once

#include <array>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// Atoll's numbers of two dimensions, the slower one first.
struct MatrixDimensions {
  int slow, fast;
};

/// The bounds of one operand of a product, as GA's calls give them: those of op(A).
struct OperandBounds {
  Patch bounds;
  bool transposed = false;
};

/// Of the factors and the result, left, right, result as Atoll sees rows and columns. Of a patch
/// that is a matrix: its two dimensions longer than one, and the fastest of those that are one. Of
/// a vector in three dimensions or more, in Fortran's order: its long one and the next (the last
/// two if it is the last); where it is transposed the one before and the long one; where the three
/// do not agree so, the neighbours that make them agree. Error(value) for what is no matrix.
std::array<MatrixDimensions, 3> matrix_dimensions(const std::array<OperandBounds, 3>& operands);

}  // namespace lagoon::atoll::ga
