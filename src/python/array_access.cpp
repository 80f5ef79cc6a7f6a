// Reading and writing sections of an array from Python: the hot path. A key is parsed here, without
// Python code, so that a small get costs about what NumPy's own indexing costs.
// Keys with index arrays go to methods in Python (`_fancy_get`, ...), which gather and scatter.
#include <algorithm>
#include <memory>

#include "array_object.hpp"
#include "numpy.hpp"
#include "operand.hpp"
#include "request.hpp"
#include "section.hpp"
#include "values.hpp"

namespace lagoon::atoll::python {

namespace {

std::size_t bytes_of(const Section& section, ElementType type) {
  return static_cast<std::size_t>(section.elements) * size_of(type);
}

nb::object get_section(const ArrayObject& object, const Section& section) {
  const AnyArray& array = object.get();
  const ElementType type = array.type();
  if (section.scalar) {
    alignas(16) std::byte element[16];
    {
      const OneSided entry(object.waits(size_of(type)));
      array.get(section.patch, element);
    }
    return numpy_scalar(type, element);
  }
  NewArray result = empty_array(section.result_shape(), type);
  if (section.elements > 0) {
    const SectionMemory memory = packed_memory(section, result.data, size_of(type));
    const OneSided entry(object.waits(bytes_of(section, type)));
    array.get(section.patch, memory.data, memory.strides);
  }
  return std::move(result.array);
}

}  // namespace

namespace {

/// False for what is no number; where it is none for the type, Python's error is set or thrown.
bool store_alpha(nb::handle alpha, ElementType type, std::byte* element) {
  if (store_number(alpha, type, element)) return true;
  // Other scalars, as numpy.float32: by way of an array of no dimension.
  if (PyNumber_Check(alpha.ptr()) == 0) return false;
  const Values values(alpha, type);
  if (values.dimensions() != 0) return false;
  std::copy_n(values.data(), size_of(type), element);
  return true;
}

}  // namespace

const void* read_alpha(nb::handle alpha, ElementType type, std::byte* element) {
  if (alpha.is_none()) return nullptr;
  try {
    if (store_alpha(alpha, type, element)) return element;
  } catch (nb::python_error& error) {  // which speaks of a value
    PyErr_Format(error.type().ptr(), "alpha is %R: %S", alpha.ptr(), error.value().ptr());
    nb::raise_python_error();
  }
  PyErr_Format(PyExc_TypeError, "alpha is %R, expected a number", alpha.ptr());
  nb::raise_python_error();
}

PyObject* array_subscript(PyObject* self, PyObject* key) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const ArrayObject& object = array_object(self);
    Section section;
    if (parse_key(key, object.shape(), section))
      return get_section(object, section).release().ptr();
    return nb::object(nb::handle(self).attr("_fancy_get")(nb::handle(key))).release().ptr();
  });
}

namespace {

/// Whether a value is an array of Atoll's or a view of one; of numbers quickly.
bool is_atolls(nb::handle value) {
  if (PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr())) return false;
  return nb::isinstance<ArrayObject>(value) || nb::isinstance<ViewObject>(value);
}

}  // namespace

int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept {
  return guarded<int>(-1, [&] {
    if (value == nullptr) throw nb::type_error("elements of an array cannot be deleted");
    const ArrayObject& object = array_object(self);
    AnyArray& array = object.get();
    Section section;
    if (!parse_key(key, object.shape(), section)) {
      nb::handle(self).attr("_fancy_put")(nb::handle(key), nb::handle(value));
      return 0;
    }
    if (is_atolls(value)) {
      nb::handle(self).attr("_assign")(nb::handle(key), nb::handle(value));
      return 0;
    }
    const ElementType type = array.type();
    const Values values(value, type, Rule::assign);
    const SectionMemory memory = broadcast_memory(section, values, size_of(type));
    if (section.elements > 0) {
      const OneSided entry(object.waits(bytes_of(section, type)));
      array.put(section.patch, memory.data, memory.strides);
    }
    return 0;
  });
}

void array_get_into(nb::handle self, nb::handle key, nb::handle out) {
  const ArrayObject& object = array_object(self);
  const AnyArray& array = object.get();
  Section section;
  if (!parse_key(key, object.shape(), section)) {
    out[nb::ellipsis()] = self.attr("_fancy_get")(key);
    return;
  }
  const Values target = Values::writable(out, array.type());
  const SectionMemory memory = exact_memory(section, target, size_of(array.type()));
  if (section.elements == 0) return;
  const OneSided entry(object.waits(bytes_of(section, array.type())));
  array.get(section.patch, memory.data, memory.strides);
}

void array_accumulate(nb::handle self, nb::handle key, nb::handle value, nb::handle alpha) {
  const ArrayObject& object = array_object(self);
  AnyArray& array = object.get();
  const ElementType type = array.type();
  Section section;
  if (!parse_key(key, object.shape(), section)) {
    self.attr("_fancy_add")(key, value, alpha);
    return;
  }
  const Values values(value, type);
  const SectionMemory memory = broadcast_memory(section, values, size_of(type));
  alignas(16) std::byte element[16];
  const void* const factor = read_alpha(alpha, type, element);
  if (section.elements == 0) return;
  const OneSided entry(object.waits(bytes_of(section, type)));
  array.accumulate(section.patch, memory.data, factor, memory.strides);
}

nb::object array_get(nb::handle self, nb::handle key, nb::handle out) {
  if (out.is_none()) return nb::steal(checked(array_subscript(self.ptr(), key.ptr())));
  array_get_into(self, key, out);
  return nb::borrow(out);
}

namespace {

nb::object get_async_into(const ArrayObject& object, const Section& section, nb::handle out) {
  const AnyArray& array = object.get();
  std::unique_ptr<Values> target(new Values(Values::writable(out, array.type())));
  const SectionMemory memory = exact_memory(section, *target, size_of(array.type()));
  if (section.elements == 0) return nb::cast(Request(nb::borrow(out)));
  Request request(object.shared(), nb::borrow(out), std::move(target));
  request.start([&] {
    const OneSided entry(object.waits(bytes_of(section, array.type())));
    return array.get_async(section.patch, memory.data, memory.strides);
  }());
  return nb::cast(std::move(request));
}

}  // namespace

nb::object array_get_async(nb::handle self, nb::handle key, nb::handle out) {
  const ArrayObject& object = array_object(self);
  const AnyArray& array = object.get();
  Section section;
  if (!parse_key(key, object.shape(), section)) {
    if (out.is_none()) return nb::cast(Request(self.attr("_fancy_get")(key)));
    array_get_into(self, key, out);
    return nb::cast(Request(nb::borrow(out)));
  }
  if (!out.is_none()) return get_async_into(object, section, out);
  NewArray result = empty_array(section.result_shape(), array.type());
  if (section.elements == 0) return nb::cast(Request(std::move(result.array)));
  const SectionMemory memory = packed_memory(section, result.data, size_of(array.type()));
  Request request(object.shared(), std::move(result.array), nullptr);
  request.give_scalar(section.scalar);
  request.start([&] {
    const OneSided entry(object.waits(bytes_of(section, array.type())));
    return array.get_async(section.patch, memory.data, memory.strides);
  }());
  return nb::cast(std::move(request));
}

nb::object array_put_async(nb::handle self, nb::handle key, nb::handle value) {
  const ArrayObject& object = array_object(self);
  AnyArray& array = object.get();
  Section section;
  if (!parse_key(key, object.shape(), section)) {
    self.attr("_fancy_put")(key, value);
    return nb::cast(Request(nb::none()));
  }
  auto values = std::make_unique<Values>(value, array.type(), Rule::assign);
  const SectionMemory memory = broadcast_memory(section, *values, size_of(array.type()));
  if (section.elements == 0) return nb::cast(Request(nb::none()));
  Request request(object.shared(), nb::none(), std::move(values));
  request.start([&] {
    const OneSided entry(object.waits(bytes_of(section, array.type())));
    return array.put_async(section.patch, memory.data, memory.strides);
  }());
  return nb::cast(std::move(request));
}

nb::object array_accumulate_async(nb::handle self, nb::handle key, nb::handle value,
                                  nb::handle alpha) {
  const ArrayObject& object = array_object(self);
  AnyArray& array = object.get();
  const ElementType type = array.type();
  Section section;
  if (!parse_key(key, object.shape(), section)) {
    self.attr("_fancy_add")(key, value, alpha);
    return nb::cast(Request(nb::none()));
  }
  auto values = std::make_unique<Values>(value, type);
  const SectionMemory memory = broadcast_memory(section, *values, size_of(type));
  Request request(object.shared(), nb::none(), std::move(values));
  const void* const factor = read_alpha(alpha, type, request.alpha());
  if (section.elements == 0) return nb::cast(Request(nb::none()));
  request.start([&] {
    const OneSided entry(object.waits(bytes_of(section, type)));
    return array.accumulate_async(section.patch, memory.data, factor, memory.strides);
  }());
  return nb::cast(std::move(request));
}

}  // namespace lagoon::atoll::python
