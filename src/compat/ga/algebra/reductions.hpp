// Algebra with one number as the result. Collective; all members get it.
#pragma once

#include <string_view>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

/// sum of a_i b_i as a T. Patches of unlike shapes with equally many elements go in order.
/// Error(type) for arrays of other numbers: integers of any width for an integer, else T exactly.
template <class T>
T dot_as(const View& a, const View& b);

/// The least ("min") or greatest ("max") element of a whole array; of complex numbers by modulus.
/// Writes a number of the array's type; Error(value) for other words.
Index select_element(const MutableView& a, std::string_view word, void* value);

}  // namespace lagoon::atoll::ga
