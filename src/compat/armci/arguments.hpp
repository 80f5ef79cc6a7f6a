// Checks that many calls share: each throws an error that names the argument and its value.
#pragma once

#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::armci {

[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(ErrorKind::value, message);
}

/// `value` < `count`, a number of one of that many things.
inline int checked(const char* argument, int value, int count) {
  if (value < 0 || value >= count)
    refuse(std::string(argument) + " is " + std::to_string(value) + ", not 0 to " +
           std::to_string(count - 1));
  return value;
}

inline int not_negative(const char* argument, int value) {
  if (value < 0)
    refuse(std::string(argument) + " is " + std::to_string(value) + ", which is below 0");
  return value;
}

template <class T>
T& given(const char* argument, T* pointer) {
  if (pointer == nullptr) refuse(std::string(argument) + " is a null pointer");
  return *pointer;
}

}  // namespace lagoon::atoll::armci
