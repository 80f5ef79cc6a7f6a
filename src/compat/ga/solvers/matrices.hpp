// What the solvers share: matrices in Fortran's view, and failures as LAPACK's info.
#pragma once

#include <algorithm>
#include <optional>

#include "atoll/array.hpp"
#include "atoll/error.hpp"
#include "atoll/matrix.hpp"
#include "atoll/solvers.hpp"

namespace lagoon::atoll::ga {

/// The array of a handle, of a collective call: uses up its mask of synchronisations.
AnyArray& operand(std::int64_t handle);

/// Error(value) unless it is a square matrix.
void check_square(const AnyArray& a);

/// A new array that holds the transpose of a matrix.
AnyArray turned(const AnyArray& a);

inline Triangle other(Triangle triangle) {
  return triangle == Triangle::lower ? Triangle::upper : Triangle::lower;
}

/// A Hermitian matrix, or a factor of one, as Fortran sees it. A real one is the array itself with
/// its triangles exchanged; a complex one is a copy.
class HermitianView {
 public:
  HermitianView(const AnyArray& a, Triangle triangle);
  const AnyArray& matrix() const { return copy_ ? *copy_ : array_; }
  const SolverOptions& options() const { return options_; }

 private:
  const AnyArray& array_;
  std::optional<AnyArray> copy_;
  SolverOptions options_;
};

/// Calls `solve` with right sides that are columns to Atoll, and stores what it makes of them in
/// place of `b`. A vector is the same in both views.
template <class Solve>
void solve_in_columns(AnyArray& b, const Solve& solve) {
  if (b.dimensions() != 2) return solve(b);
  AnyArray columns = turned(b);
  solve(columns);
  transpose(columns, b);
}

/// 0, or a positive info where `f` finds that the matrix has no such result.
template <class F>
int info_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    return std::max(1, error.error_number());
  }
  return 0;
}

}  // namespace lagoon::atoll::ga
