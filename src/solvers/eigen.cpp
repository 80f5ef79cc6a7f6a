// Eigenvalues and eigenvectors of Hermitian matrices: the standard problem by divide and conquer,
// the generalised one through the Cholesky factor of b.
#include <optional>
#include <string>

#include "array/frame.hpp"
#include "solvers/call.hpp"

namespace lagoon::atoll {

namespace {

std::string not_converged(int) { return "the eigenvalues do not converge"; }

std::string not_definite(int order) {
  return "b is not positive definite: its leading minor of order " + std::to_string(order) +
         " is not";
}

/// The eigenvalues; `b` and `vectors` may be null.
std::vector<double> eigenvalues(std::string_view operation, const AnyArray& a, const AnyArray* b,
                                AnyArray* vectors, const SolverOptions& options) {
  detail::require_alive(a, operation);
  std::vector<const AnyArray*> operands = {&a};
  if (b != nullptr) {
    detail::require_alive(*b, operation);
    operands.push_back(b);
  }
  if (vectors != nullptr) {
    detail::require_writable(*vectors, operation);
    operands.push_back(vectors);
  }
  const std::int64_t n = a.shape()[0];
  const detail::SolverCall call(operation, operands, n, options, [&] {
    detail::check_square(a);
    for (const AnyArray* operand : operands) detail::check_shape(*operand, a.shape());
  });
  if (n == 0) return {};
  call.require_room(n, n, 4);
  const char triangle = detail::letter(options.triangle);
  std::vector<double> result;
  detail::with_blas_type(a.type(), [&]<class T> {
    const auto kernels = call.kernels<T>();
    std::vector<detail::Real<T>> values(static_cast<std::size_t>(n));
    detail::ColumnMatrix left = call.load(a);
    call.require_finite(left, triangle);
    std::optional<detail::ColumnMatrix> right, z;
    if (b != nullptr) {
      right.emplace(call.load(*b));
      call.require_finite(*right, triangle);
      call.run([&] { return kernels->potrf(triangle, right->part<T>()); }, not_definite);
      call.run([&] { return kernels->hegst(triangle, left.part<T>(), right->part<T>()); },
               not_converged);
    }
    if (vectors != nullptr) z.emplace(call.matrix(n, n));
    if (call.elpa() != nullptr) left.complete(triangle);
    call.run(
        [&] {
          // Without vectors only the descriptor counts.
          detail::Columns<T> into = (z ? *z : left).template part<T>();
          if (!z) into.data = nullptr;
          if (call.elpa() != nullptr)
            return detail::elpa_heevd<T>(*call.elpa(), left.part<T>(), values.data(), into);
          return kernels->heevd(triangle, left.part<T>(), values.data(), into);
        },
        not_converged);
    result = call.shared(values);
    if (!z) return;
    if (b != nullptr) {
      // v = l^-H y, or u^-1 y.
      const char form = options.triangle == Triangle::lower ? 'C' : 'N';
      call.run(
          [&] {
            kernels->trsm(triangle, form, right->part<T>(), z->part<T>());
            return 0;
          },
          not_converged);
    }
    z->store(*vectors);
  });
  return result;
}

}  // namespace

std::vector<double> eigh(const AnyArray& a, AnyArray& vectors, const SolverOptions& options) {
  return eigenvalues("eigh", a, nullptr, &vectors, options);
}
std::vector<double> eigh(const AnyArray& a, const AnyArray& b, AnyArray& vectors,
                         const SolverOptions& options) {
  return eigenvalues("eigh", a, &b, &vectors, options);
}
std::vector<double> eigvalsh(const AnyArray& a, const SolverOptions& options) {
  return eigenvalues("eigvalsh", a, nullptr, nullptr, options);
}
std::vector<double> eigvalsh(const AnyArray& a, const AnyArray& b, const SolverOptions& options) {
  return eigenvalues("eigvalsh", a, &b, nullptr, options);
}

}  // namespace lagoon::atoll
