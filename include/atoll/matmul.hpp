// Matrix multiply of distributed matrices: SRUMMA (Krishnan and Nieplocha), with every rank's
// product of panels done by the BLAS that the library was built with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "atoll/algebra.hpp"
#include "atoll/array.hpp"

namespace lagoon::atoll {

/// How a matrix enters a product: as it is, transposed, conjugated, or both. Of real matrices
/// conjugated is plain and adjoint is transposed.
enum class MatrixForm : std::uint8_t { plain, transposed, conjugated, adjoint };

/// A factor of a product: a matrix, or a patch of one (step one), in one of its forms.
struct Factor {
  Factor(const AnyArray& matrix, MatrixForm as = MatrixForm::plain) : array(matrix), form(as) {}
  Factor(const AnyArray& matrix, const Patch& part, MatrixForm as = MatrixForm::plain)
      : array(matrix), patch(part), form(as) {}

  const AnyArray& array;
  std::optional<Patch> patch;  ///< none: the whole matrix
  MatrixForm form;
};

struct MatmulOptions {
  /// Bytes of buffers for fetched panels that a rank may use beyond the operands.
  std::size_t memory = std::size_t{64} << 20;
  /// Whether the next panels are fetched while the last ones are multiplied.
  bool prefetch = true;
  /// Whether ranks begin with different panels, so that they ask different owners (the paper's
  /// diagonal shift).
  bool shift = true;
};

/// c = alpha op(a) op(b) + beta c. Matrices of one type, float32 to complex128, on the same ranks
/// (a and b may also be mirrored there); any distributions. Collective, with the synchronisation of
/// all algebra. What is in c does not count where beta is zero. Error(type) for integers or mixed
/// types, Error(value) for shapes that do not fit, or when c is also a factor.
void matmul(const Scalar& alpha, const Factor& a, const Factor& b, const Scalar& beta, AnyArray& c,
            const MatmulOptions& options = {});
/// The same for a patch of c; the rest of c stays as it is.
void matmul(const Scalar& alpha, const Factor& a, const Factor& b, const Scalar& beta, AnyArray& c,
            const Patch& c_patch, const MatmulOptions& options = {});

/// y = alpha op(a) x + beta y, for vectors x and y. Every rank multiplies the blocks of a that it
/// owns, where they lie, and adds its part to y; only vectors travel. Types, groups and errors as
/// of matmul; a and y are not mirrored (Error(unsupported)), x may be.
void matvec(const Scalar& alpha, const Factor& a, const AnyArray& x, const Scalar& beta,
            AnyArray& y);

}  // namespace lagoon::atoll
