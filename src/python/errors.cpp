// Which built-in exception stands for which kind of error.
#include "errors.hpp"

#include <new>

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

/// Sets Python's error; one with an errno becomes the subclass of OSError that goes with it.
void set_error(const Error& error) noexcept {
  if (error.error_number() == 0 || error.kind() == ErrorKind::numeric) {
    PyErr_SetString(exception_type(error.kind()), error.what());
    return;
  }
  PyObject* const arguments = Py_BuildValue("(is)", error.error_number(), error.what());
  if (arguments == nullptr) return;  // MemoryError is set
  PyErr_SetObject(PyExc_OSError, arguments);
  Py_DECREF(arguments);
}

}  // namespace

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
