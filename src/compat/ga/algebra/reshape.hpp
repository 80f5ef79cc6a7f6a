// Patches of unlike shapes with equally many elements: GA lets them stand for each other, element
// after element in the order of the language. Row-major order in C's view is the same order as
// column-major in Fortran's.
#pragma once

#include <optional>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// Where the n-th element of a shape is, in row-major order.
Index unravelled(std::int64_t n, const Index& shape);

/// An operand in another shape: itself where it has that shape already (or does not fit, which the
/// operation will tell), else a copy. Making one is collective over its array's group.
class Shaped {
 public:
  Shaped(const View& operand, const Index& shape);
  Shaped(const Shaped&) = delete;
  Shaped& operator=(const Shaped&) = delete;

  View view() const { return copy_ ? View(*copy_) : operand_; }

 private:
  View operand_;
  std::optional<AnyArray> copy_;
};

/// target = source, in order, which lies as it does. Equal types and numbers of elements.
/// Collective, with synchronisation.
void copy_in_order(const View& source, const MutableView& target);

}  // namespace lagoon::atoll::ga
