// Taking Python values as typed memory.
#include "values.hpp"

#include <string>
#include <string_view>

#include "errors.hpp"
#include "numpy.hpp"

namespace lagoon::atoll::python {

namespace {

/// Whether a buffer format of native order and alignment is that of a type of the same size.
bool format_is(std::string_view format, ElementType type) {
  if (is_complex(type)) {
    if (!format.starts_with('Z')) return false;
    format.remove_prefix(1);
  }
  const std::string_view letters = !is_integer(type)          ? "fd"
                                   : traits_of(type).has_sign ? "bhilq"
                                                              : "BHILQ";
  return format.size() == 1 && letters.find(format.front()) != std::string_view::npos;
}

/// A Python buffer, let go of at the end of the scope.
struct Buffer {
  Py_buffer view{};
  bool held = false;
  Buffer(nb::handle object, int flags) {
    held = PyObject_GetBuffer(object.ptr(), &view, flags) == 0;
  }
  ~Buffer() {
    if (held) PyBuffer_Release(&view);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

[[noreturn]] void refuse_kind(nb::handle object, nb::handle from, bool is_array, ElementType type) {
  const std::string name(name_of(type));
  if (is_array)
    PyErr_Format(PyExc_TypeError,
                 "cannot cast the value, which is of %S, to the array's %s by the rule "
                 "'same_kind'; use astype",
                 from.ptr(), name.c_str());
  else
    PyErr_Format(PyExc_TypeError,
                 "cannot cast the value %R, which is of %S, to the array's %s by the rule "
                 "'same_kind'; use astype",
                 object.ptr(), from.ptr(), name.c_str());
  nb::raise_python_error();
}

/// Whether what NumPy makes no numbers of, or floats, are integers only: those beyond 64 bits.
/// OverflowError for the first that an integer type does not hold.
bool are_integers(nb::handle object, ElementType type) {
  const NumPy& np = numpy();
  const nb::object objects = nb::handle(np.asarray)(object, nb::str("O"));
  for (const nb::handle item : objects.attr("flat")) {
    if (!PyIndex_Check(item.ptr())) return false;
    const nb::object number = nb::steal(checked(PyNumber_Index(item.ptr())));
    alignas(16) std::byte element[16];
    (void)store_number(number, type, element);
  }
  return true;
}

/// As assignment in NumPy does: an array's integers wrap, those of numbers and lists must fit.
nb::object converted(nb::handle object, ElementType type) {
  const NumPy& np = numpy();
  const nb::object array = nb::handle(np.asarray)(object);
  const nb::object from = array.attr("dtype");
  const bool is_array = array.is(object);
  // To NumPy signed integers are of another kind than bytes; here integers become any integers.
  const ElementType kind = is_integer(type) ? ElementType::int64 : type;
  // Of no values NumPy makes floats: `a[k] = []` is none of the wrong type.
  const bool none = nb::cast<std::int64_t>(array.attr("size")) == 0;
  if (!none && !nb::cast<bool>(nb::handle(np.can_cast)(from, np.dtype(kind), "same_kind"))) {
    if (is_array || !are_integers(object, type)) refuse_kind(object, from, is_array, type);
    return nb::handle(np.asarray)(object, np.dtype(type));
  }
  nb::object result = array.attr("astype")(np.dtype(type));
  if (!is_array && is_integer(type) && !none &&
      PyObject_IsTrue(nb::object(result.attr("__ne__")(array).attr("any")()).ptr()) != 0)
    (void)are_integers(object, type);  // says which one does not fit
  return result;
}

}  // namespace

/// Sees the array's memory as elements; false when its type, order or alignment are others.
bool Values::view(nb::handle array, ElementType type, bool to_write) {
  const Buffer buffer(array, PyBUF_STRIDES | PyBUF_FORMAT | (to_write ? PyBUF_WRITABLE : 0));
  if (!buffer.held) {
    // No buffer for such elements (dates, say), or not writable.
    if (to_write) nb::raise_python_error();
    PyErr_Clear();
    return false;
  }
  const auto item = static_cast<Py_ssize_t>(size_of(type));
  const Py_buffer& seen = buffer.view;
  if (seen.itemsize != item || !format_is(seen.format, type)) return false;
  // NumPy wants no more alignment for an element than its real type has.
  const std::size_t alignment = size_of(traits_of(type).real);
  if (reinterpret_cast<std::uintptr_t>(seen.buf) % alignment != 0) return false;
  for (int d = 0; d < seen.ndim; ++d) {
    if (seen.strides[d] % item != 0) return false;
    shape_[static_cast<std::size_t>(d)] = seen.shape[d];
    strides_[static_cast<std::size_t>(d)] = seen.strides[d] / item;
  }
  data_ = static_cast<std::byte*>(seen.buf);
  dimensions_ = seen.ndim;
  array_ = nb::borrow(array);
  return true;
}

Values::Values(nb::handle object, ElementType type) {
  const bool is_array =
      PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(numpy().ndarray)) != 0;
  if (!is_array && store_number(object, type, number_.data())) {
    data_ = number_.data();
    return;
  }
  if (is_array && view(object, type, false)) return;
  const nb::object copy = converted(object, type);
  if (!view(copy, type, false))
    throw nb::type_error("cannot use these values as the elements of an array");
}

Values::Values(nb::handle array, ElementType type, Writable) {
  const bool is_array =
      PyObject_TypeCheck(array.ptr(), reinterpret_cast<PyTypeObject*>(numpy().ndarray)) != 0;
  if (!is_array || !view(array, type, true)) {
    const std::string name(name_of(type));
    PyErr_Format(PyExc_TypeError, "out must be an aligned NumPy array of %s, it is %R",
                 name.c_str(), array.ptr());
    nb::raise_python_error();
  }
}

Values Values::writable(nb::handle array, ElementType type) {
  return Values(array, type, Writable{});
}

nb::object elements_of(nb::handle object, ElementType type) {
  const NumPy& np = numpy();
  alignas(16) std::byte number[16];
  const bool is_array =
      PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(np.ndarray)) != 0;
  if (!is_array && store_number(object, type, number))
    return nb::handle(np.asarray)(numpy_scalar(type, number));
  if (is_array && nb::object(object.attr("dtype")).is(np.dtype(type))) return nb::borrow(object);
  return converted(object, type);
}

}  // namespace lagoon::atoll::python
