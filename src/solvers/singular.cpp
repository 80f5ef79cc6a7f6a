// Singular values and vectors.
#include <algorithm>
#include <optional>
#include <string>

#include "array/frame.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "atoll/matrix.hpp"
#include "solvers/call.hpp"

namespace lagoon::atoll {

namespace {

std::string not_converged(int) { return "the singular values do not converge"; }

enum class Side : bool { left, right };

/// Stores the left vectors, columns of a matrix, or the right ones, rows of one; an output that is
/// square where they are not takes the rest of an orthonormal basis too.
template <class T>
void store(const detail::SolverCall& call, detail::Kernels<T>& kernels, Side side,
           detail::ColumnMatrix& vectors, AnyArray& to) {
  const Index shape = vectors.shape();
  if (to.shape() == shape) {
    vectors.store(to);
    return;
  }
  detail::ColumnMatrix basis = call.matrix(to.shape()[0], to.shape()[1]);
  if (side == Side::left)
    basis.load_columns(vectors);
  else
    basis.load_rows_as_columns(vectors);
  const int known = static_cast<int>(std::min(shape[0], shape[1]));
  call.run([&] { return kernels.complete_basis(basis.part<T>(), known); }, not_converged);
  if (side == Side::left)
    basis.store(to);
  else
    basis.store_as_rows(to);
  // The signs of the known ones are not those of the basis.
  vectors.store(to, whole(shape));
}

/// Of a matrix without elements: any basis.
void store_unit(AnyArray& to) {
  zero(to);
  if (to.shape()[0] > 0 && to.shape()[1] > 0) fill_diagonal(to, 1);
}

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
    if (u != nullptr && u->shape() != Index{m, m}) detail::check_shape(*u, {m, k});
    if (vh != nullptr && vh->shape() != Index{n, n}) detail::check_shape(*vh, {k, n});
    if (u != nullptr && u->state() == vh->state())
      throw Error(ErrorKind::value, "u and vh are the same array");
  });
  if (k == 0) {
    for (AnyArray* output : {u, vh})
      if (output != nullptr) store_unit(*output);
    return {};
  }
  call.require_room(m, n, 5);
  for (const AnyArray* output : {u, vh})
    if (output != nullptr) call.require_room(output->shape()[0], output->shape()[1], 1);
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
    store<T>(call, *kernels, Side::left, *left, *u);
    store<T>(call, *kernels, Side::right, *right, *vh);
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
