// Reading keys. The texts of the errors are NumPy's, so that users know them.
#include "section.hpp"

#include <string>

#include "errors.hpp"
#include "numpy.hpp"
#include "values.hpp"

namespace lagoon::atoll::python {

namespace {

enum class KeyEntry : std::uint8_t { integer, slice, ellipsis, newaxis, other };

bool is_instance_of(PyObject* object, PyObject* type) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(type)) != 0;
}

KeyEntry classify(PyObject* entry) {
  if (PyLong_CheckExact(entry)) return KeyEntry::integer;
  if (PySlice_Check(entry)) return KeyEntry::slice;
  if (entry == Py_Ellipsis) return KeyEntry::ellipsis;
  if (entry == Py_None) return KeyEntry::newaxis;
  if (PyBool_Check(entry) || is_instance_of(entry, numpy().ndarray) ||
      is_instance_of(entry, numpy().boolean))
    return KeyEntry::other;
  return PyIndex_Check(entry) ? KeyEntry::integer : KeyEntry::other;
}

std::int64_t read_integer(PyObject* entry, int dimension, std::int64_t extent) {
  const Py_ssize_t given = PyNumber_AsSsize_t(entry, PyExc_IndexError);
  if (given == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  const std::int64_t position = given < 0 ? given + extent : given;
  if (position < 0 || position >= extent) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %lld", given,
                 dimension, static_cast<long long>(extent));
    nb::raise_python_error();
  }
  return position;
}

constexpr std::int64_t far = std::int64_t{1} << 61;  // the library's limit for periodic patches

void check_distance(std::int64_t at) {
  if (at >= -far && at <= far) return;
  PyErr_Format(PyExc_IndexError, "index %lld lies beyond 2^61", static_cast<long long>(at));
  nb::raise_python_error();
}

/// An integer of a periodic key.
std::int64_t read_literal(PyObject* entry) {
  const Py_ssize_t at = PyNumber_AsSsize_t(entry, PyExc_IndexError);
  if (at == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  check_distance(at);
  return at;
}

/// How many positions a slice of a periodic key has; fills in bounds that were left out, for which
/// PySlice_Unpack gives 0 or the ends of the integers.
std::int64_t literal_count(std::int64_t extent, Py_ssize_t& start, Py_ssize_t& stop,
                           Py_ssize_t step) {
  if (start == PY_SSIZE_T_MAX) start = extent - 1;
  if (stop == PY_SSIZE_T_MAX) stop = extent;
  if (stop == PY_SSIZE_T_MIN) stop = -1;
  check_distance(start);
  check_distance(stop);
  const std::int64_t length = step > 0 ? stop - start : start - stop;
  return length <= 0 ? 0 : (length - 1) / (step > 0 ? step : -step) + 1;
}

/// The patch while it is being put together, one array dimension after the other.
class Builder {
 public:
  Builder(const Index& shape, bool periodic, Section& section)
      : shape_(shape), section_(section), periodic_(periodic) {}

  void integer(PyObject* entry) {
    const std::int64_t at =
        periodic_ ? read_literal(entry) : read_integer(entry, dimension_, shape_[dimension_]);
    section_.patch.lo.push_back(at);
    section_.patch.hi.push_back(at + 1);
    step_.push_back(1);
    ++dimension_;
  }
  void slice(PyObject* entry) {
    Py_ssize_t start = 0;
    Py_ssize_t stop = 0;
    Py_ssize_t step = 0;
    if (PySlice_Unpack(entry, &start, &stop, &step) < 0) nb::raise_python_error();
    const Py_ssize_t count = periodic_
                                 ? literal_count(shape_[dimension_], start, stop, step)
                                 : PySlice_AdjustIndices(shape_[dimension_], &start, &stop, step);
    if (count == 0) return range(0, 0, 1, 0);
    if (count == 1) return range(start, start + 1, 1, 1);
    if (step > 0) return range(start, start + (count - 1) * step + 1, step, count);
    section_.reversed |= 1U << dimension_;
    range(start + (count - 1) * step, start + 1, -step, count);
  }
  void all() { range(0, shape_[dimension_], 1, shape_[dimension_]); }
  void newaxis() { result(1, -1); }
  int dimension() const noexcept { return dimension_; }
  void finish() {
    if (stepped_) section_.patch.step = step_;
  }

 private:
  void range(std::int64_t lo, std::int64_t hi, std::int64_t step, std::int64_t count) {
    section_.patch.lo.push_back(lo);
    section_.patch.hi.push_back(hi);
    step_.push_back(step);
    stepped_ = stepped_ || step != 1;
    if (__builtin_mul_overflow(section_.elements, count, &section_.elements))
      throw nb::value_error("the section has more than 2^63 elements");
    result(count, dimension_);
    ++dimension_;
  }
  void result(std::int64_t extent, int dimension) {
    if (section_.dimensions == Section::most_dimensions)
      throw nb::index_error("too many indices: the result would have more than 64 dimensions");
    section_.scalar = false;
    const auto at = static_cast<std::size_t>(section_.dimensions++);
    section_.shape[at] = extent;
    section_.axis[at] = static_cast<std::int8_t>(dimension);
  }

  const Index& shape_;
  Section& section_;
  bool periodic_;  // bounds are meant literally
  Index step_;
  bool stepped_ = false;
  int dimension_ = 0;
};

[[noreturn]] void throw_too_many(int dimensions, Py_ssize_t used) {
  PyErr_Format(PyExc_IndexError,
               "too many indices for array: array is %d-dimensional, but %zd were indexed",
               dimensions, used);
  nb::raise_python_error();
}

/// IndexError; the text has one %R for the key.
[[noreturn]] void throw_wrong(const char* text, nb::handle key) {
  PyErr_Format(PyExc_IndexError, text, key.ptr());
  nb::raise_python_error();
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t d = 0; d < shape.size(); ++d)
    text += (d > 0 ? "," : "") + std::to_string(shape[d]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

namespace {

bool parse(nb::handle key, const Index& shape, bool periodic, Section& section) {
  PyObject* single = key.ptr();
  const bool is_tuple = PyTuple_Check(single);
  const Py_ssize_t entries = is_tuple ? PyTuple_Size(single) : 1;
  const auto entry_at = [&](Py_ssize_t i) {
    return is_tuple ? PyTuple_GetItem(single, i) : single;
  };

  Py_ssize_t used = 0;  // array dimensions that entries other than an ellipsis take
  bool ellipsis = false;
  for (Py_ssize_t i = 0; i < entries; ++i) {
    switch (classify(entry_at(i))) {
      case KeyEntry::integer:
      case KeyEntry::slice: ++used; break;
      case KeyEntry::newaxis: break;
      case KeyEntry::ellipsis:
        if (ellipsis) throw nb::index_error("an index can only have a single ellipsis ('...')");
        ellipsis = true;
        section.scalar = false;
        break;
      case KeyEntry::other: return false;
    }
  }
  if (used > shape.size()) throw_too_many(shape.size(), used);

  Builder builder(shape, periodic, section);
  const int expanded = shape.size() - static_cast<int>(used);
  for (Py_ssize_t i = 0; i < entries; ++i) {
    PyObject* const entry = entry_at(i);
    switch (classify(entry)) {
      case KeyEntry::integer: builder.integer(entry); break;
      case KeyEntry::slice: builder.slice(entry); break;
      case KeyEntry::newaxis: builder.newaxis(); break;
      case KeyEntry::ellipsis:
        for (int d = 0; d < expanded; ++d) builder.all();
        break;
      case KeyEntry::other: break;
    }
  }
  while (builder.dimension() < shape.size()) builder.all();
  builder.finish();
  if (shape.empty()) section.patch = {{0}, {1}};  // see ArrayObject
  return true;
}

}  // namespace

bool parse_key(nb::handle key, const Index& shape, Section& section) {
  return parse(key, shape, false, section);
}

Section parse_periodic_key(nb::handle key, const Index& shape) {
  Section section;
  if (!parse(key, shape, true, section))
    throw_wrong("the key is %R: periodic access takes integers, slices, an ellipsis and None", key);
  return section;
}

Patch parse_patch(nb::handle key, const Index& shape) {
  Section section;
  if (!parse_key(key, shape, section) || !section.patch.step.empty() || section.reversed != 0)
    throw_wrong("%R is no patch: integers and slices of step one are wanted", key);
  return section.patch;
}

Patch parse_stepped_patch(nb::handle key, const Index& shape) {
  Section section;
  if (!parse_key(key, shape, section) || section.reversed != 0)
    throw_wrong("%R is no patch: integers and slices with steps above zero are wanted", key);
  return section.patch;
}

Index parse_position(nb::handle key, const Index& shape) {
  PyObject* const single = key.ptr();
  const bool is_tuple = PyTuple_Check(single);
  const Py_ssize_t entries = is_tuple ? PyTuple_Size(single) : 1;
  if (entries != shape.size()) {
    PyErr_Format(PyExc_IndexError, "a position in this array has %d indices, not %zd as %R",
                 shape.size(), entries, key.ptr());
    nb::raise_python_error();
  }
  Index position;
  for (int d = 0; d < shape.size(); ++d) {
    PyObject* const entry = is_tuple ? PyTuple_GetItem(single, d) : single;
    if (classify(entry) != KeyEntry::integer)
      throw_wrong("%R is no position, which is made of integers only", key);
    position.push_back(read_integer(entry, d, shape[d]));
  }
  if (shape.empty()) position.push_back(0);  // see ArrayObject
  return position;
}

SectionMemory packed_memory(const Section& section, std::byte* data, std::size_t element_size) {
  if (section.reversed == 0) return {data, {}};
  SectionMemory memory{data, Index::filled(section.patch.dimensions(), 1)};
  std::int64_t stride = 1;
  for (int r = section.dimensions - 1; r >= 0; --r) {
    const std::int64_t extent = section.shape[static_cast<std::size_t>(r)];
    const int d = section.axis[static_cast<std::size_t>(r)];
    if (d >= 0) memory.strides[d] = stride;
    if (d >= 0 && (section.reversed >> d & 1U) != 0) {
      memory.strides[d] = -stride;
      memory.data += (extent - 1) * stride * static_cast<std::int64_t>(element_size);
    }
    stride *= extent;
  }
  return memory;
}

SectionMemory broadcast_memory(const Section& section, const Values& values,
                               std::size_t element_size) {
  SectionMemory memory{values.data(), Index::filled(section.patch.dimensions(), 1)};
  const auto misfit = [&] {
    const std::string message = "could not broadcast input array from shape " +
                                shape_text(values.shape()) + " into shape " +
                                shape_text(section.result_shape());
    throw nb::value_error(message.c_str());
  };
  const int lead = section.dimensions - values.dimensions();
  for (int v = 0; v < -lead; ++v)
    if (values.extent(v) != 1) misfit();
  bool packed = true;         // until a stride says otherwise
  std::int64_t expected = 1;  // the stride of a packed buffer
  for (int r = section.dimensions - 1; r >= 0; --r) {
    const std::int64_t extent = section.shape[static_cast<std::size_t>(r)];
    const int v = r - lead;
    std::int64_t stride = 0;
    if (v >= 0 && values.extent(v) == extent)
      stride = values.stride(v);
    else if (v >= 0 && values.extent(v) != 1)
      misfit();
    packed = packed && (extent == 1 || stride == expected);
    expected *= extent;
    const int d = section.axis[static_cast<std::size_t>(r)];
    if (d < 0) continue;
    memory.strides[d] = stride;
    if ((section.reversed >> d & 1U) != 0) {
      memory.strides[d] = -stride;
      memory.data += (extent - 1) * stride * static_cast<std::int64_t>(element_size);
    }
  }
  if (packed && section.reversed == 0) memory.strides = {};
  return memory;
}

SectionMemory exact_memory(const Section& section, const Values& values, std::size_t element_size) {
  bool equal = values.dimensions() == section.dimensions;
  for (int r = 0; equal && r < section.dimensions; ++r)
    equal = values.extent(r) == section.shape[static_cast<std::size_t>(r)];
  if (!equal) {
    const std::string message = "out has shape " + shape_text(values.shape()) +
                                ", but the section has shape " + shape_text(section.result_shape());
    throw nb::value_error(message.c_str());
  }
  return broadcast_memory(section, values, element_size);
}

nb::tuple tuple_of(const Index& index) {
  nb::object tuple = nb::steal(checked(PyTuple_New(index.size())));
  for (int d = 0; d < index.size(); ++d)
    PyTuple_SetItem(tuple.ptr(), d, checked(PyLong_FromLongLong(index[d])));
  return nb::borrow<nb::tuple>(tuple);
}

nb::tuple key_of(const Patch& patch) {
  nb::object tuple = nb::steal(checked(PyTuple_New(patch.dimensions())));
  for (int d = 0; d < patch.dimensions(); ++d) {
    const nb::object lo = nb::steal(checked(PyLong_FromLongLong(patch.lo[d])));
    const nb::object hi = nb::steal(checked(PyLong_FromLongLong(patch.hi[d])));
    PyTuple_SetItem(tuple.ptr(), d, checked(PySlice_New(lo.ptr(), hi.ptr(), nullptr)));
  }
  return nb::borrow<nb::tuple>(tuple);
}

nb::list keys_of(const std::vector<Patch>& patches) {
  nb::list keys;
  for (const Patch& patch : patches) keys.append(key_of(patch));
  return keys;
}

Index index_from(nb::handle sequence) {
  Index index;
  for (const nb::handle entry : sequence) {
    const Py_ssize_t value = PyNumber_AsSsize_t(entry.ptr(), PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
    if (index.size() == max_dimensions)
      throw nb::value_error("an array has at most eight dimensions");
    index.push_back(value);
  }
  return index;
}

}  // namespace lagoon::atoll::python
