// Patches of unlike shapes with equally many elements: GA lets them stand for each other, element
// after element in the order of the language. Row-major order in C's view is the same order as
// column-major in Fortran's.
#pragma once

#include <optional>

#include "compat/ga/algebra/section.hpp"

namespace lagoon::atoll::ga {

/// An operand in another shape: itself where it has that shape already (or does not fit, which the
/// operation will tell), else a copy. Making one is collective over its array's group.
class Shaped {
 public:
  Shaped(const Section& operand, const Index& shape);
  /// With the dimensions in reverse order first.
  Shaped(const Section& operand, bool transposed, const Index& shape);
  Shaped(const Shaped&) = delete;
  Shaped& operator=(const Shaped&) = delete;

  Section section() { return copy_ ? all_of(*copy_) : operand_; }

 private:
  Section operand_;
  std::optional<AnyArray> copy_;
};

/// target = source, in order. Equal types and numbers of elements. Collective, with
/// synchronisation.
void copy_in_order(const Section& source, const Section& target);

/// The extents in reverse order where `transposed`.
Index shape_of(const Section& section, bool transposed);

}  // namespace lagoon::atoll::ga
