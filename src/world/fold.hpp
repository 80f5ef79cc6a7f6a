// Reductions element by element: the loops of Reduction for every element type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

/// into[i] = into[i] op next[i], or next[i] op into[i], which differs in signs of zeros and in
/// NaNs. Integers wrap modulo 2^n, truth values are or-ed and and-ed, NaN lasts. Complex numbers
/// have no minimum or maximum.
void fold(ElementType type, Reduction op, std::byte* into, const std::byte* next,
          std::int64_t elements, bool into_is_first = true) noexcept;

/// Error(type) where that is asked of complex numbers.
void check_reducible(ElementType type, Reduction op);

}  // namespace lagoon::atoll::detail
