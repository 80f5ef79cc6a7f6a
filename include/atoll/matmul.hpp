// Matrix multiply of distributed matrices: SRUMMA (Krishnan and Nieplocha), with every rank's
// product of panels done by the BLAS that the library was built with.
#pragma once

#include <cstddef>

#include "atoll/algebra.hpp"
#include "atoll/array.hpp"

namespace lagoon::atoll {

struct MatmulOptions {
  /// Bytes of buffers for fetched panels that a rank may use beyond the operands.
  std::size_t memory = std::size_t{64} << 20;
  /// Whether the next panels are fetched while the last ones are multiplied.
  bool prefetch = true;
  /// Whether ranks begin with different panels, so that they ask different owners (the paper's
  /// diagonal shift).
  bool shift = true;
};

/// c = alpha op(a) op(b) + beta c, where op is the form of the view. Matrices of one type, float32
/// to complex128, on the same ranks (a and b may also be mirrored there); any distributions,
/// patches of step one. Collective, with the synchronisation of all algebra. What is in c does not
/// count where beta is zero; of an array the rest stays as it is. Error(type) for integers or mixed
/// types, Error(value) for shapes that do not fit, steps, or when c's array is also a factor's.
void matmul(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
            const MutableView& c, const MatmulOptions& options = {});

/// y = alpha op(a) x + beta y, for vectors x and y. Every rank multiplies the blocks of a that it
/// owns, where they lie, and adds its part to y; only vectors travel. Types, groups and errors as
/// of matmul; a and y are not mirrored (Error(unsupported)), x may be.
void matvec(const Scalar& alpha, const View& a, const AnyArray& x, const Scalar& beta, AnyArray& y);

}  // namespace lagoon::atoll
