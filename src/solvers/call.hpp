// The frame of a solver's call: checks that all ranks make alike, the choice of library and grid,
// and agreement on what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/solvers.hpp"
#include "solvers/column_matrix.hpp"
#include "solvers/elpa.hpp"
#include "solvers/scalapack.hpp"

namespace lagoon::atoll::detail {

class SolverCall {
 public:
  /// Collective. `operands`: all of one type and on the same ranks. `check_shapes` may throw. The
  /// grid is chosen for a matrix whose shorter side has `extent` elements.
  SolverCall(std::string_view operation, const std::vector<const AnyArray*>& operands,
             std::int64_t extent, const SolverOptions& options,
             const std::function<void()>& check_shapes);

  const SolverGrid& grid() const noexcept { return grid_; }
  ColumnMatrix matrix(std::int64_t rows, std::int64_t columns) const;
  /// The same with the contents of an operand.
  ColumnMatrix load(const AnyArray& a) const;
  ColumnMatrix unit(std::int64_t side) const;
  template <BlasElement T>
  std::unique_ptr<Kernels<T>> kernels() const {
    return blacs_ ? scalapack_kernels<T>() : lapack_kernels<T>();
  }
  /// The ranks that call ELPA for eigenvalues; none: the kernels have them.
  const ElpaGrid* elpa() const noexcept { return elpa_.get(); }
  /// Runs a step, which returns LAPACK's info, on the ranks that compute. Error(numeric) on all
  /// ranks with the text of `explain(info)` if it is positive.
  void run(const std::function<int()>& step, const std::function<std::string(int)>& explain) const;
  /// Error(unsupported) on all ranks if a rank's part of a matrix, or its workspace of `workspace`
  /// times as many elements, has more than the library's integers can count: it would not notice.
  void require_room(std::int64_t rows, std::int64_t columns, int workspace) const;
  /// Error(numeric) on all ranks if an element of the triangle ('L', 'U'; 'A': of all) is NaN or
  /// infinite: LAPACK and ScaLAPACK stop, go on for ever, or return NaN then.
  void require_finite(ColumnMatrix& a, char triangle) const;
  /// Gives all ranks what the first one has; Error(numeric) unless all of it is finite.
  template <class R>
  std::vector<double> shared(const std::vector<R>& values) const {
    std::vector<double> result(values.begin(), values.end());
    grid_.group.broadcast(std::span<double>(result), 0);
    require_finite(result);
    return result;
  }

 private:
  void require_finite(const std::vector<double>& values) const;
  void choose_grid(std::int64_t extent, const SolverOptions& options);
  void choose_elpa(std::int64_t extent, const SolverOptions& options);

  std::string operation_;
  ElementType type_;
  SolverGrid grid_;
  std::shared_ptr<BlacsGrid> blacs_;  // none: LAPACK on the first rank
  std::shared_ptr<ElpaGrid> elpa_;    // none: not for this matrix
};

/// For `check_shapes`: Error(value) unless it is a matrix, a square one, a vector or matrix of
/// right sides that goes with `rows` rows, or has this shape.
void check_two_dimensions(const AnyArray& a);
void check_square(const AnyArray& a);
void check_right_sides(const AnyArray& b, std::int64_t rows);
void check_shape(const AnyArray& a, const Index& shape);

inline char letter(Triangle triangle) noexcept { return triangle == Triangle::lower ? 'L' : 'U'; }

}  // namespace lagoon::atoll::detail
