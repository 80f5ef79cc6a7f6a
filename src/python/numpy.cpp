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
    result.scalars[i] = nb::object(get("dtype")(name).attr("type")).release().ptr();
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

/// A Python integer, as one number with a sign or, from 2^63 on, without.
Scalar to_integer(nb::handle value, ElementType type) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (number == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  if (overflow == 0) {
    if (!fits(number, type)) throw_range(value, type);
    return static_cast<std::int64_t>(number);
  }
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(value.ptr()) : 0;
  const bool larger = PyErr_Occurred() != nullptr;
  if (larger) PyErr_Clear();
  if (overflow < 0 || larger || !fits(large, type)) throw_range(value, type);
  return static_cast<std::uint64_t>(large);
}

void store_scalar(const Scalar& number, ElementType type, void* element) {
  with_element_type(type, [&]<class T>(T) {
    const T converted = number.as<T>();
    std::memcpy(element, &converted, sizeof converted);
  });
}

/// Has NumPy say, as its errstate wants, that a finite number became infinite.
void tell_overflow(nb::handle number, ElementType type) {
  const NumPy& np = numpy();
  (void)nb::handle(np.asarray)(number, np.dtype(type));
}

bool too_large(double value, ElementType type) {
  if (!std::isfinite(value)) return false;
  const std::size_t bytes = size_of(traits_of(type).real);
  return bytes == sizeof(Float16) ? std::isinf(static_cast<float>(Float16(value)))
                                  : bytes == sizeof(float) && std::isinf(static_cast<float>(value));
}

void store_real(nb::handle number, double value, ElementType type, void* element) {
  if (too_large(value, type)) tell_overflow(number, type);
  store_scalar(value, type, element);
}

/// A real number for an integer type: what is behind the point is cut off, as in NumPy. ValueError
/// for NaN, OverflowError for infinities.
Scalar cut_real(nb::handle value, ElementType type) {
  const nb::object whole = nb::steal(checked(PyNumber_Long(value.ptr())));
  return to_integer(whole, type);
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
  const Scalar value = with_element_type(type, [&]<class T>(T) {
    T number;
    std::memcpy(&number, data, sizeof number);
    return Scalar(number);
  });
  const nb::object held = python_number(value);
  PyObject* arguments[] = {held.ptr()};
  PyObject* const kind = numpy().scalars[static_cast<std::size_t>(type)];
  return nb::steal(checked(PyObject_Vectorcall(kind, arguments, 1, nullptr)));
}

bool store_number(nb::handle value, ElementType type, void* element, Rule rule) {
  PyObject* const object = value.ptr();
  const bool number = PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object);
  if (!number) return false;
  if (traits_of(type).boolean && rule == Rule::assign) {
    store_scalar(PyObject_IsTrue(object), type, element);
    return true;
  }
  if (PyLong_Check(object)) {  // bool too
    if (is_integer(type)) {
      store_scalar(to_integer(value, type), type, element);
      return true;
    }
    const double real = PyLong_AsDouble(object);
    if (real == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw_range(value, type);
    }
    store_real(value, real, type, element);
    return true;
  }
  if (PyFloat_Check(object)) {
    if (!is_integer(type))
      store_real(value, PyFloat_AsDouble(object), type, element);
    else if (rule == Rule::assign)
      store_scalar(cut_real(value, type), type, element);
    else
      throw_kind(value, type);
    return true;
  }
  if (!is_complex(type)) throw_kind(value, type);
  const std::complex<double> complex(PyComplex_RealAsDouble(object),
                                     PyComplex_ImagAsDouble(object));
  if (too_large(complex.real(), type) || too_large(complex.imag(), type))
    tell_overflow(value, type);
  store_scalar(complex, type, element);
  return true;
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

Scalar scalar_from(nb::handle value, ElementType type, const char* what, Rule rule) {
  const nb::object number = plain_number(value, what);
  alignas(16) std::byte element[16];
  (void)store_number(number, type, element, rule);  // throws where the number does not fit
  if (rule == Rule::assign && is_integer(type))
    return with_element_type(type, [&]<class T>(T) {
      T stored;
      std::memcpy(&stored, element, sizeof stored);
      return Scalar(stored);
    });
  if (PyComplex_Check(number.ptr()))
    return std::complex<double>(PyComplex_RealAsDouble(number.ptr()),
                                PyComplex_ImagAsDouble(number.ptr()));
  if (PyFloat_Check(number.ptr())) return PyFloat_AsDouble(number.ptr());
  if (is_integer(type)) return to_integer(number, type);
  return PyLong_AsDouble(number.ptr());
}

nb::dlpack::dtype dlpack_type(ElementType type) {
  using Code = nb::dlpack::dtype_code;
  const ElementTraits& traits = traits_of(type);
  const Code code = traits.boolean    ? Code::Bool
                    : traits.complex  ? Code::Complex
                    : !traits.integer ? Code::Float
                    : traits.has_sign ? Code::Int
                                      : Code::UInt;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * traits.bytes), 1};
}

nb::object python_number(const Scalar& scalar) {
  return std::visit(
      []<class T>(T value) -> nb::object {
        if constexpr (std::unsigned_integral<T>)
          return nb::steal(checked(PyLong_FromUnsignedLongLong(value)));
        else if constexpr (std::integral<T>)
          return nb::steal(checked(PyLong_FromLongLong(value)));
        else if constexpr (std::floating_point<T>)
          return nb::steal(checked(PyFloat_FromDouble(value)));
        else
          return nb::steal(checked(PyComplex_FromDoubles(value.real(), value.imag())));
      },
      scalar.value());
}

}  // namespace lagoon::atoll::python
