// NumPy objects, dtypes and scalars.
#include "numpy.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <string>

#include "errors.hpp"

namespace lagoon::atoll::python {

namespace {

NumPy look_up() {
  const nb::module_ module = nb::module_::import_("numpy");
  const auto get = [&](const char* name) -> nb::object { return module.attr(name); };
  NumPy result{};
  result.ndarray = get("ndarray").release().ptr();
  result.boolean = get("bool_").release().ptr();
  result.generic = get("generic").release().ptr();
  result.empty = get("empty").release().ptr();
  result.asarray = get("asarray").release().ptr();
  result.can_cast = get("can_cast").release().ptr();
  for (std::size_t i = 0; i < element_types; ++i) {
    const std::string name(name_of(static_cast<ElementType>(i)));
    result.scalars[i] = get(name.c_str()).release().ptr();
    result.dtypes[i] = nb::object(get("dtype")(name)).release().ptr();
  }
  return result;
}

[[noreturn]] void throw_kind(nb::handle value, ElementType type) {
  const std::string name(name_of(type));
  PyErr_Format(PyExc_TypeError, "cannot store a %s in an array of %s",
               nb::type_name(value.type()).c_str(), name.c_str());
  nb::raise_python_error();
}

[[noreturn]] void throw_range(nb::handle number, ElementType type) {
  const std::string name(name_of(type));
  PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for %s", number.ptr(),
               name.c_str());
  nb::raise_python_error();
}

std::int64_t to_integer(nb::handle value, ElementType type) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (number == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  if (overflow != 0 || !fits(number, type)) throw_range(value, type);
  return number;
}

/// Has NumPy say, as its errstate wants, that a finite number became infinite.
void tell_overflow(nb::handle number, ElementType type) {
  const NumPy& np = numpy();
  (void)nb::handle(np.asarray)(number, np.dtype(type));
}

bool too_large(double value, ElementType type) {
  return std::isfinite(value) && size_of(traits_of(type).real) == sizeof(float) &&
         std::isinf(static_cast<float>(value));
}

void store_real(nb::handle number, double value, ElementType type, void* element) {
  if (!is_integer(type) && too_large(value, type)) tell_overflow(number, type);
  with_element_type(type, [&]<class T>(T) {
    const T converted = Scalar(value).as<T>();
    std::memcpy(element, &converted, sizeof converted);
  });
}

}  // namespace

const NumPy& numpy() {
  static const NumPy found = look_up();
  return found;
}

ElementType element_type_from(nb::handle dtype) {
  if (dtype.is_none()) return ElementType::float64;
  const NumPy& np = numpy();
  for (std::size_t i = 0; i < element_types; ++i)
    if (dtype.is(np.dtypes[i]) || dtype.is(np.scalars[i])) return static_cast<ElementType>(i);
  const nb::object wanted = nb::module_::import_("numpy").attr("dtype")(dtype);
  for (std::size_t i = 0; i < element_types; ++i)
    if (wanted.equal(nb::handle(np.dtypes[i]))) return static_cast<ElementType>(i);
  const std::string names = element_names([](ElementType) noexcept { return true; });
  PyErr_Format(PyExc_TypeError, "an array cannot hold %S; it holds %s", wanted.ptr(),
               names.c_str());
  nb::raise_python_error();
}

NewArray empty_array(std::span<const std::int64_t> shape, ElementType type) {
  const NumPy& np = numpy();
  const auto tuple = nb::steal(checked(PyTuple_New(static_cast<Py_ssize_t>(shape.size()))));
  bool any = true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    any = any && shape[d] > 0;
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(d),
                    checked(PyLong_FromLongLong(shape[d])));
  }
  PyObject* arguments[] = {tuple.ptr(), np.dtype(type).ptr()};
  nb::object array = nb::steal(checked(PyObject_Vectorcall(np.empty, arguments, 2, nullptr)));
  std::byte* data = nullptr;
  if (any) {
    // The array outlives the buffer's view of it: whoever uses `data` holds the array.
    Py_buffer view;
    if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_WRITABLE) != 0) nb::raise_python_error();
    data = static_cast<std::byte*>(view.buf);
    PyBuffer_Release(&view);
  }
  return {std::move(array), data};
}

nb::object numpy_scalar(ElementType type, const void* data) {
  PyObject* plain = with_element_type(type, [&]<class T>(T) {
    T value;
    std::memcpy(&value, data, sizeof value);
    if constexpr (std::integral<T>)
      return PyLong_FromLongLong(value);
    else if constexpr (std::floating_point<T>)
      return PyFloat_FromDouble(static_cast<double>(value));
    else
      return PyComplex_FromDoubles(static_cast<double>(value.real()),
                                   static_cast<double>(value.imag()));
  });
  const nb::object held = nb::steal(checked(plain));
  PyObject* arguments[] = {held.ptr()};
  PyObject* const kind = numpy().scalars[static_cast<std::size_t>(type)];
  return nb::steal(checked(PyObject_Vectorcall(kind, arguments, 1, nullptr)));
}

bool store_number(nb::handle value, ElementType type, void* element) {
  PyObject* const object = value.ptr();
  if (PyLong_Check(object)) {  // bool too
    if (is_integer(type)) {
      const std::int64_t number = to_integer(value, type);
      // The low bytes come first: Atoll is for little-endian machines.
      std::memcpy(element, &number, size_of(type));
      return true;
    }
    const double number = PyLong_AsDouble(object);
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw_range(value, type);
    }
    store_real(value, number, type, element);
    return true;
  }
  if (PyFloat_Check(object)) {
    if (is_integer(type)) throw_kind(value, type);
    store_real(value, PyFloat_AsDouble(object), type, element);
    return true;
  }
  if (PyComplex_Check(object)) {
    if (!is_complex(type)) throw_kind(value, type);
    const std::complex<double> number(PyComplex_RealAsDouble(object),
                                      PyComplex_ImagAsDouble(object));
    if (too_large(number.real(), type) || too_large(number.imag(), type))
      tell_overflow(value, type);
    with_element_type(type, [&]<class T>(T) {
      const T converted = Scalar(number).as<T>();
      std::memcpy(element, &converted, sizeof converted);
    });
    return true;
  }
  return false;
}

namespace {

bool is_plain(nb::handle value) {
  return PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()) || PyComplex_Check(value.ptr());
}

/// A number of Python's: of a scalar of NumPy's, and of what knows its own value.
nb::object plain_number(nb::handle value, const char* what) {
  if (is_plain(value)) return nb::borrow(value);
  nb::object number;
  if (PyObject_IsInstance(value.ptr(), numpy().generic) == 1)
    number = value.attr("item")();
  else if (PyIndex_Check(value.ptr()))
    number = nb::steal(PyNumber_Index(value.ptr()));
  else if (const double real = PyFloat_AsDouble(value.ptr()); PyErr_Occurred() == nullptr)
    number = nb::float_(real);
  if (number.is_valid() && is_plain(number)) return number;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s is %R (%s), expected a number", what, value.ptr(),
               nb::type_name(value.type()).c_str());
  nb::raise_python_error();
}

}  // namespace

Scalar scalar_from(nb::handle value, ElementType type, const char* what) {
  const nb::object number = plain_number(value, what);
  alignas(16) std::byte element[16];
  (void)store_number(number, type, element);  // throws where the number does not fit
  if (PyComplex_Check(number.ptr()))
    return std::complex<double>(PyComplex_RealAsDouble(number.ptr()),
                                PyComplex_ImagAsDouble(number.ptr()));
  if (PyFloat_Check(number.ptr())) return PyFloat_AsDouble(number.ptr());
  if (is_integer(type)) return to_integer(number, type);
  return PyLong_AsDouble(number.ptr());
}

nb::object python_number(const Scalar& scalar) {
  return std::visit(
      []<class T>(T value) -> nb::object {
        if constexpr (std::integral<T>)
          return nb::steal(checked(PyLong_FromLongLong(value)));
        else if constexpr (std::floating_point<T>)
          return nb::steal(checked(PyFloat_FromDouble(value)));
        else
          return nb::steal(checked(PyComplex_FromDoubles(value.real(), value.imag())));
      },
      scalar.value());
}

}  // namespace lagoon::atoll::python
