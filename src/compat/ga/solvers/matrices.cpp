#include "compat/ga/solvers/matrices.hpp"

#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

AnyArray& operand(std::int64_t handle) { return array_of(handle).array(); }

void check_square(const AnyArray& a) {
  if (a.dimensions() != 2 || a.shape()[0] != a.shape()[1])
    throw Error(ErrorKind::value, "array '" + a.name() + "' has shape " + a.shape().to_string() +
                                      ", expected a square matrix");
}

AnyArray turned(const AnyArray& a) {
  ArrayOptions options;
  options.zero = false;
  options.mirrored = a.mirrored();
  AnyArray result(a.whole_group(), {a.shape()[1], a.shape()[0]}, a.type(), options);
  transpose(a, result);
  return result;
}

HermitianView::HermitianView(const AnyArray& a, Triangle triangle) : array_(a) {
  if (is_complex(a.type())) copy_.emplace(turned(a));
  options_.triangle = copy_ ? triangle : other(triangle);
}

}  // namespace lagoon::atoll::ga
