// Names that share a body: second names, and names for both sizes of integers.
#pragma once

#include <cstdint>

/// `also` is `name` under another name; both are extern "C" and of this file. Which there are
/// functions.tsv says, and a test compares.
#define ATOLL_GA_ALSO(also, name) decltype(name) also __attribute__((alias(#name)))

namespace with_int {
using Int = int;
}
namespace with_int64 {
using Int = std::int64_t;
}

/// C functions that return the expression at the end: `name`, where Int is int, and the same with
/// 64 behind its name, where it is int64_t. __func__ is which of them. Functions of C are of no
/// namespace.
#define ATOLL_GA_BOTH(result, name, arguments, ...) \
  namespace with_int {                              \
  result name arguments { return __VA_ARGS__; }     \
  }                                                 \
  namespace with_int64 {                            \
  result name##64 arguments { return __VA_ARGS__; } \
  }                                                 \
  static_assert(true)
