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
  if (traits_of(type).boolean) return format == "?";
  const std::string_view letters = !is_integer(type)          ? "efd"
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

[[noreturn]] void refuse_kind(nb::handle object, nb::handle from, bool is_array, ElementType type,
                              Rule rule) {
  const std::string name(name_of(type));
  const char* const by = rule == Rule::assign ? "" : " by the rule 'same_kind'";
  if (is_array)
    PyErr_Format(PyExc_TypeError,
                 "cannot cast the value, which is of %S, to the array's %s%s; use astype",
                 from.ptr(), name.c_str(), by);
  else
    PyErr_Format(PyExc_TypeError,
                 "cannot cast the value %R, which is of %S, to the array's %s%s; use astype",
                 object.ptr(), from.ptr(), name.c_str(), by);
  nb::raise_python_error();
}

/// `store_number` also for NumPy's scalars, which in assignments are the numbers that they hold. A
/// float64 is a float of Python's.
bool store_scalar(nb::handle object, ElementType type, std::byte* element, Rule rule) {
  if (store_number(object, type, element, rule)) return true;
  if (!PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(numpy().generic)))
    return false;
  return store_number(nb::object(object.attr("item")()), type, element, rule);
}

/// Whether what NumPy makes no numbers of are integers only: those beyond 64 bits.
bool are_integers(nb::handle array) {
  for (const nb::handle item : array.attr("flat"))
    if (!PyIndex_Check(item.ptr())) return false;
  return true;
}

/// Whether numbers of one of NumPy's kinds become elements by a rule.
bool becomes(char kind, ElementType type, Rule rule) {
  const std::string_view kinds = "biufc";
  const std::size_t place = kinds.find(kind);
  if (place == std::string_view::npos) return false;
  const ElementTraits& traits = traits_of(type);
  if (traits.complex || (rule == Rule::assign && (traits.boolean || kind != 'c'))) return true;
  if (traits.boolean) return kind == 'b';
  // To NumPy integers with a sign are of another kind than those without; here they are of one.
  return place < (traits.integer ? 3U : 4U);
}

/// As in NumPy an array's integers wrap, those of numbers and lists must fit.
nb::object converted(nb::handle object, ElementType type, Rule rule) {
  const NumPy& np = numpy();
  const nb::handle to = np.dtype(type);
  const nb::object array = nb::handle(np.asarray)(object);
  // Of no values NumPy makes floats: `a[k] = []` is none of the wrong type.
  if (nb::cast<std::int64_t>(array.attr("size")) == 0) return array.attr("astype")(to);
  const bool is_array = array.is(object);
  const nb::object from = array.attr("dtype");
  const auto kind = nb::cast<std::string>(from.attr("kind"));
  const bool large = kind == "O" && !is_array && !traits_of(type).boolean && are_integers(array);
  if (!large && !becomes(kind.front(), type, rule)) refuse_kind(object, from, is_array, type, rule);
  if (is_array) return array.attr("astype")(to);
  return nb::handle(np.asarray)(object, to);  // which sees that the numbers fit
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

Values::Values(nb::handle object, ElementType type, Rule rule) {
  const bool is_array =
      PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(numpy().ndarray)) != 0;
  if (!is_array && store_scalar(object, type, number_.data(), rule)) {
    data_ = number_.data();
    return;
  }
  if (is_array && view(object, type, false)) return;
  const nb::object copy = converted(object, type, rule);
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

nb::object elements_of(nb::handle object, ElementType type, Rule rule) {
  const NumPy& np = numpy();
  alignas(16) std::byte number[16];
  const bool is_array =
      PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(np.ndarray)) != 0;
  if (!is_array && store_scalar(object, type, number, rule))
    return nb::handle(np.asarray)(numpy_scalar(type, number));
  if (is_array && nb::object(object.attr("dtype")).is(np.dtype(type))) return nb::borrow(object);
  return converted(object, type, rule);
}

}  // namespace lagoon::atoll::python
