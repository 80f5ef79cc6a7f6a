// Linear systems: Cholesky factors of positive definite matrices, LU of any other.
#include <string>
#include <utility>

#include "array/frame.hpp"
#include "solvers/call.hpp"

namespace lagoon::atoll {

namespace {

std::string not_definite(int order) {
  return "the matrix is not positive definite: its leading minor of order " +
         std::to_string(order) + " is not";
}

std::string singular(int pivot) {
  return "the matrix is singular: pivot " + std::to_string(pivot) + " of its LU factors is zero";
}

std::string no_factor(int row) {
  return "the factor has a zero on its diagonal, in row " + std::to_string(row) + " of 1, 2, ...";
}

/// `result` = what `work(kernels, matrix)` makes of a square matrix.
template <class Work>
void change_square(std::string_view operation, const AnyArray& a, AnyArray& result,
                   const SolverOptions& options, const Work& work) {
  detail::require_alive(a, operation);
  detail::require_writable(result, operation);
  const detail::SolverCall call(operation, {&a, &result}, a.shape()[0], options, [&] {
    detail::check_square(a);
    detail::check_shape(result, a.shape());
  });
  if (a.elements() == 0) return;
  detail::ColumnMatrix matrix = call.load(a);
  detail::with_blas_type(a.type(), [&]<class T> { work.template operator()<T>(call, matrix); });
  matrix.store(result);
}

/// x = a^-1 b, where `step(kernels, a, b)` puts it in the place of b, once `look(call, a)` is
/// content.
template <class Look, class Step>
void solve_with(std::string_view operation, const AnyArray& a, const AnyArray& b, AnyArray& x,
                const SolverOptions& options, const Look& look, const Step& step) {
  detail::require_alive(a, operation);
  detail::require_alive(b, operation);
  detail::require_writable(x, operation);
  const detail::SolverCall call(operation, {&a, &b, &x}, a.shape()[0], options, [&] {
    detail::check_square(a);
    detail::check_right_sides(b, a.shape()[0]);
    detail::check_shape(x, b.shape());
  });
  if (b.elements() == 0) return;
  detail::ColumnMatrix matrix = call.load(a), sides = call.load(b);
  look(call, matrix);
  detail::with_blas_type(a.type(), [&]<class T> {
    const auto kernels = call.kernels<T>();
    call.run([&] { return step(*kernels, matrix.part<T>(), sides.part<T>()); }, singular);
  });
  sides.store(x);
}

}  // namespace

void cholesky(const AnyArray& a, AnyArray& factor, const SolverOptions& options) {
  const char triangle = detail::letter(options.triangle);
  change_square("cholesky", a, factor, options,
                [&]<class T>(const detail::SolverCall& call, detail::ColumnMatrix& matrix) {
                  const auto kernels = call.kernels<T>();
                  call.require_finite(matrix, triangle);
                  call.run([&] { return kernels->potrf(triangle, matrix.part<T>()); },
                           not_definite);
                  matrix.clear_other_half(triangle);
                });
}

void cholesky_inverse(const AnyArray& a, AnyArray& result, const SolverOptions& options) {
  const char triangle = detail::letter(options.triangle);
  change_square(
      "cholesky_inverse", a, result, options,
      [&]<class T>(const detail::SolverCall& call, detail::ColumnMatrix& matrix) {
        const auto kernels = call.kernels<T>();
        call.require_finite(matrix, triangle);
        call.run([&] { return kernels->potrf(triangle, matrix.part<T>()); }, not_definite);
        if constexpr (detail::is_complex_element<T>) {
          // Not potri: that of ScaLAPACK 2.2.2 (Debian 13) gives wrong numbers and no error.
          detail::ColumnMatrix unit = call.unit(a.shape()[0]);
          call.run([&] { return kernels->potrs(triangle, matrix.part<T>(), unit.part<T>()); },
                   not_definite);
          matrix = std::move(unit);
        } else {
          call.run([&] { return kernels->potri(triangle, matrix.part<T>()); }, not_definite);
        }
        matrix.complete(triangle);
      });
}

void cholesky_solve(const AnyArray& factor, const AnyArray& b, AnyArray& x,
                    const SolverOptions& options) {
  const char triangle = detail::letter(options.triangle);
  // LAPACK divides by the diagonal without looking.
  const auto look = [&](const detail::SolverCall& call, detail::ColumnMatrix& matrix) {
    call.require_finite(matrix, triangle);
    call.run([&] { return matrix.zero_on_diagonal(); }, no_factor);
  };
  solve_with("cholesky_solve", factor, b, x, options, look,
             [&](auto& kernels, const auto& a, const auto& sides) {
               return kernels.potrs(triangle, a, sides);
             });
}

void solve(const AnyArray& a, const AnyArray& b, AnyArray& x, const SolverOptions& options) {
  const auto content = [](const detail::SolverCall&, detail::ColumnMatrix&) {};
  solve_with("solve", a, b, x, options, content,
             [](auto& kernels, const auto& matrix, const auto& sides) {
               return kernels.gesv(matrix, sides);
             });
}

void inverse(const AnyArray& a, AnyArray& result, const SolverOptions& options) {
  detail::require_alive(a, "inverse");
  detail::require_writable(result, "inverse");
  const detail::SolverCall call("inverse", {&a, &result}, a.shape()[0], options, [&] {
    detail::check_square(a);
    detail::check_shape(result, a.shape());
  });
  if (a.elements() == 0) return;
  detail::ColumnMatrix matrix = call.load(a), unit = call.unit(a.shape()[0]);
  detail::with_blas_type(a.type(), [&]<class T> {
    const auto kernels = call.kernels<T>();
    call.run([&] { return kernels->gesv(matrix.part<T>(), unit.part<T>()); }, singular);
  });
  unit.store(result);
}

}  // namespace lagoon::atoll
