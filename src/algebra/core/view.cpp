// What a view says of its elements, once the array is known to be alive.
#include "atoll/view.hpp"

#include "algebra/core/operand.hpp"

namespace lagoon::atoll {

Index View::shape() const {
  const Index shape = section().shape();
  return transposed() ? detail::reversed(shape) : shape;
}

bool View::all() const {
  if (form != Form::plain && (transposed() || conjugated())) return false;
  return !patch || detail::same_section(*patch, whole(array.shape()));
}

bool View::transposed() const {
  return (form == Form::transposed || form == Form::adjoint) && array.dimensions() > 1;
}

bool View::conjugated() const {
  return (form == Form::conjugated || form == Form::adjoint) && is_complex(array.type());
}

}  // namespace lagoon::atoll
