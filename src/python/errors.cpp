// Which built-in exception stands for which kind of error.
#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <new>
#include <string>

namespace lagoon::atoll::python {

namespace {

/// numpy.linalg.LinAlgError; kept for good.
PyObject* linear_algebra_error() noexcept {
  static PyObject* const type = []() noexcept -> PyObject* {
    try {
      return nb::object(nb::module_::import_("numpy.linalg").attr("LinAlgError")).release().ptr();
    } catch (nb::python_error&) {
      return PyExc_ValueError;
    }
  }();
  return type;
}

/// The class of an error that began as a Python exception on another rank, else that of its kind;
/// one with an errno becomes the subclass of OSError that goes with it.
nb::object exception_of(const Error& error) {
  if (error.error_number() != 0 && error.kind() != ErrorKind::numeric)
    return nb::handle(PyExc_OSError)(error.error_number(), error.what());
  if (!error.exception().empty() && error.kind() != ErrorKind::numeric) {
    const nb::module_ builtins = nb::module_::import_("builtins");
    if (nb::hasattr(builtins, error.exception().c_str())) {
      try {
        return builtins.attr(error.exception().c_str())(error.what());
      } catch (const nb::python_error&) {  // a class that wants more than a text
        return nb::handle(PyExc_RuntimeError)(error.what());
      }
    }
  }
  return nb::handle(exception_type(error.kind()))(error.what());
}

/// Sets Python's error.
void set_error(const Error& error) noexcept {
  try {
    const nb::object exception = exception_of(error);
    if (error.everywhere()) exception.attr(raised_everywhere) = true;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (nb::python_error& failed) {
    failed.restore();
  } catch (...) {
    PyErr_NoMemory();
  }
}

/// The first class of a Python exception that is Python's own.
std::string builtin_class(nb::handle exception) {
  for (const nb::handle base : nb::tuple(nb::handle(exception.type()).attr("__mro__")))
    if (nb::cast<std::string>(base.attr("__module__")) == "builtins")
      return nb::cast<std::string>(base.attr("__name__"));
  return "RuntimeError";
}

}  // namespace

Error error_of(nb::handle exception) {
  const auto is = [&](PyObject* type) { return PyObject_IsInstance(exception.ptr(), type) == 1; };
  std::string text(nb::str(exception).c_str());
  if (is(linear_algebra_error())) return {ErrorKind::numeric, text};
  if (is(PyExc_OSError)) {
    const nb::object number = exception.attr("errno");
    if (!number.is_none()) return {ErrorKind::file, text, nb::cast<int>(number)};
    return {ErrorKind::file, text};
  }
  if (is(PyExc_KeyError)) text = "no such key: " + text;
  const std::string name = builtin_class(exception);
  if (is(PyExc_TypeError)) return Error(ErrorKind::type, text).of_exception(name);
  if (is(PyExc_ValueError)) return Error(ErrorKind::value, text).of_exception(name);
  if (is(PyExc_LookupError)) return Error(ErrorKind::index, text).of_exception(name);
  if (is(PyExc_MemoryError)) return Error(ErrorKind::memory, text).of_exception(name);
  if (is(PyExc_NotImplementedError)) return Error(ErrorKind::unsupported, text).of_exception(name);
  return Error(ErrorKind::state, text).of_exception(name);
}

PyObject* exception_type(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::value: return PyExc_ValueError;
    case ErrorKind::type: return PyExc_TypeError;
    case ErrorKind::index: return PyExc_IndexError;
    case ErrorKind::memory: return PyExc_MemoryError;
    case ErrorKind::state:
    case ErrorKind::mismatch: return PyExc_RuntimeError;
    case ErrorKind::communication:
    case ErrorKind::file: return PyExc_OSError;
    case ErrorKind::unsupported: return PyExc_NotImplementedError;
    case ErrorKind::numeric: return linear_algebra_error();
  }
  return PyExc_RuntimeError;
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_error(error);
    }
  });
}

void set_error_from_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    set_error(error);
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    const bool index = error.type() == nb::exception_type::index_error;
    const bool type = error.type() == nb::exception_type::type_error;
    PyErr_SetString(index  ? PyExc_IndexError
                    : type ? PyExc_TypeError
                           : PyExc_ValueError,
                    error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an error of unknown type");
  }
}

}  // namespace lagoon::atoll::python
