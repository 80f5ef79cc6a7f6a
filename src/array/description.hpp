// How messages speak of an array.
#pragma once

#include <string>

#include "atoll/array.hpp"

namespace lagoon::atoll::detail {

/// "array 'A' of shape (3, 4)"
std::string description(const AnyArray& array);

}  // namespace lagoon::atoll::detail
