// Singular values and vectors.
#include <algorithm>
#include <optional>
#include <string>

#include "algebra/frame.hpp"
#include "atoll/error.hpp"
#include "solvers/call.hpp"

namespace lagoon::atoll {

namespace {

std::string not_converged(int) { return "the singular values do not converge"; }

/// The singular values; u and vh may both be null.
std::vector<double> decompose(std::string_view operation, const AnyArray& a, AnyArray* u,
                              AnyArray* vh, const SolverOptions& options) {
  detail::require_alive(a, operation);
  std::vector<const AnyArray*> operands = {&a};
  for (AnyArray* output : {u, vh}) {
    if (output == nullptr) continue;
    detail::require_writable(*output, operation);
    operands.push_back(output);
  }
  const std::int64_t m = a.shape()[0], n = a.dimensions() < 2 ? 0 : a.shape()[1];
  const std::int64_t k = std::min(m, n);
  const detail::SolverCall call(operation, operands, k, options, [&] {
    detail::check_two_dimensions(a);
    if (u != nullptr) detail::check_shape(*u, {m, k});
    if (vh != nullptr) detail::check_shape(*vh, {k, n});
    if (u != nullptr && u->state() == vh->state())
      throw Error(ErrorKind::value, "u and vh are the same array");
  });
  if (k == 0) return {};
  call.require_room(m, n, 5);
  std::vector<double> result;
  detail::with_blas_type(a.type(), [&]<class T> {
    const auto kernels = call.kernels<T>();
    std::vector<detail::Real<T>> values(static_cast<std::size_t>(k));
    detail::ColumnMatrix matrix = call.load(a);
    call.require_finite(matrix, 'A');
    std::optional<detail::ColumnMatrix> left, right;
    if (u != nullptr) {
      left.emplace(call.matrix(m, k));
      right.emplace(call.matrix(k, n));
    }
    call.run(
        [&] {
          // Without vectors only the descriptors count.
          detail::Columns<T> into = (left ? *left : matrix).template part<T>();
          detail::Columns<T> into_right = (right ? *right : matrix).template part<T>();
          if (!left) into.data = into_right.data = nullptr;
          return kernels->gesvd(matrix.part<T>(), values.data(), into, into_right);
        },
        not_converged);
    result = call.shared(values);
    if (!left) return;
    left->store(*u);
    right->store(*vh);
  });
  return result;
}

}  // namespace

std::vector<double> svd(const AnyArray& a, AnyArray& u, AnyArray& vh,
                        const SolverOptions& options) {
  return decompose("svd", a, &u, &vh, options);
}
std::vector<double> singular_values(const AnyArray& a, const SolverOptions& options) {
  return decompose("singular_values", a, nullptr, nullptr, options);
}

}  // namespace lagoon::atoll
