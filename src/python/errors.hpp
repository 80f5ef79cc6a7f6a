// Atoll's errors as Python's built-in exceptions, with the same text.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "atoll/error.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// The built-in exception (borrowed) that stands for an error of this kind.
PyObject* exception_type(ErrorKind kind) noexcept;

/// The attribute of exceptions that no other rank waits to be told of: mostly all raise them alike.
inline constexpr const char* raised_everywhere = "_atoll_raised_everywhere";

/// A Python exception as an error to be told to other ranks.
Error error_of(nb::handle exception);

/// Makes nanobind's functions raise them.
void register_errors();

/// Turns the exception now being handled into Python's error. For use in a catch block.
void set_error_from_exception() noexcept;

/// Runs the body of a type slot, which nanobind does not guard: an exception becomes Python's error
/// and the result `failed`.
template <class R, class F>
R guarded(R failed, F&& body) noexcept {
  try {
    return std::forward<F>(body)();
  } catch (...) {
    set_error_from_exception();
    return failed;
  }
}

/// Throws the error that Python has set if `object` is null; gives it back otherwise.
template <class T>
T* checked(T* object) {
  if (object == nullptr) nb::raise_python_error();
  return object;
}

}  // namespace lagoon::atoll::python
