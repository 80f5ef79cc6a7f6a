// The checks of a product.
#include "algebra/matrices/matmul_call.hpp"

#include <string>

#include "algebra/matrices/matmul_plan.hpp"
#include "array/frame.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

std::string extents_text(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

void require_ranks_of(const AnyArray& c, const AnyArray& factor, std::string_view operation) {
  const Group& theirs = factor.mirrored() && !c.mirrored() ? factor.whole_group() : factor.group();
  if (!same_members(c.group(), theirs))
    throw Error(ErrorKind::value,
                description(factor) + " and " + description(c) + " live on different groups")
        .during(operation);
}

}  // namespace

void require_operands(const View& a, const View& b, const AnyArray& c, std::string_view operation) {
  require_writable(c, operation);
  for (const View* factor : {&a, &b}) {
    require_alive(factor->array, operation);
    require_ranks_of(c, factor->array, operation);
  }
}

void check_matrix(const View& matrix) {
  const auto& [array, patch, form] = matrix;
  if (array.dimensions() != 2)
    throw Error(ErrorKind::value, description(array) + " has " +
                                      std::to_string(array.dimensions()) +
                                      " dimensions; a matrix has two");
  if (!patch) return;
  check_patch(array, *patch);
  for (const std::int64_t step : patch->step)
    if (step != 1)
      throw Error(ErrorKind::value,
                  "patch " + patch->to_string() + " has steps; a product takes whole ranges");
}

void check_factor(const View& factor, const AnyArray& c) {
  check_matrix(factor);
  check_same_type(factor.array, c);
  if (!has_blas(c.type()))
    throw Error(ErrorKind::type, description(c) + " holds " + std::string(name_of(c.type())) +
                                     "; products are of float32, float64, complex64, complex128");
  if (factor.array.state() == c.state())
    throw Error(ErrorKind::value, description(c) + " is the result and a factor, too");
}

void check_product(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                   const MutableView& result, const MatmulOptions& options) {
  const AnyArray& c = result.array;
  check_matrix(result);
  check_factor(a, c);
  check_factor(b, c);
  check_scalar(alpha, c, "alpha");
  check_scalar(beta, c, "beta");
  const FactorView left(a, true), right(b, false);
  const Index shape = result.shape();
  const std::int64_t rows = shape[0], columns = shape[1];
  if (left.outer() != rows || right.outer() != columns || left.inner() != right.inner())
    throw Error(ErrorKind::value, "op(a) is " + extents_text(left.outer(), left.inner()) +
                                      ", op(b) is " + extents_text(right.inner(), right.outer()) +
                                      ", c is " + extents_text(rows, columns));
  if (options.memory == 0) throw Error(ErrorKind::value, "options.memory is 0, expected bytes");
}

std::uint64_t hash_of_cuts(std::span<const std::int64_t> cuts) {
  std::uint64_t hash = cuts.size();
  for (const std::int64_t cut : cuts) hash = mix(hash, static_cast<std::uint64_t>(cut));
  return hash;
}

}  // namespace lagoon::atoll::detail
