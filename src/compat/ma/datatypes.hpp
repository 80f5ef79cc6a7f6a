// The types of MA's elements and the base arrays that indices count from.
#pragma once

#include <cstddef>

#include "ga/matypes.h"

namespace lagoon::atoll::ma {

struct Datatype {
  const char* name;
  std::size_t size;
  char* base;  ///< aligned to the size, so that all well-aligned addresses have an index
};

/// std::invalid_argument of a number that is no MT_*.
const Datatype& datatype(long code);

/// Of so many elements. std::invalid_argument if they are less than none, or beyond all memory.
std::size_t bytes_of(Integer code, Integer elements);

/// How many elements of the second type as many of the first need.
Integer elements_that_hold(Integer code, Integer elements, Integer other_code);

}  // namespace lagoon::atoll::ma
