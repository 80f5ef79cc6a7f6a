// The little of NumPy that the module needs, through Python's own interfaces (calls and buffers),
// so that no NumPy headers are needed and any NumPy version will do.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "atoll/types.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// NumPy's objects, looked up once and never let go of.
struct NumPy {
  PyObject* ndarray;
  PyObject* boolean;  ///< numpy.bool_
  PyObject* generic;  ///< the abstract scalar
  PyObject* empty;
  PyObject* asarray;
  PyObject* can_cast;
  std::array<PyObject*, element_types> dtypes;  ///< by ElementType
  std::array<PyObject*, element_types> scalars;

  nb::handle dtype(ElementType type) const { return dtypes[static_cast<std::size_t>(type)]; }
};
const NumPy& numpy();

/// The element type that a dtype, or what NumPy takes for one, names; None means float64.
/// TypeError for one that arrays cannot hold.
ElementType element_type_from(nb::handle dtype);

/// A new C-contiguous array, and its memory (null when it has no element).
struct NewArray {
  nb::object array;
  std::byte* data;
};
NewArray empty_array(std::span<const std::int64_t> shape, ElementType type);

/// The element at `data` as a NumPy scalar.
nb::object numpy_scalar(ElementType type, const void* data);

/// What becomes of a number of a higher kind than the elements are.
enum class Rule : bool {
  same_kind,  ///< TypeError, as in arithmetic: 1.5 is no integer
  assign      ///< as when NumPy assigns: real numbers are cut to integers, all become truth values
};
/// Writes the Python number `value` as an element; false when it is no plain number (an array, a
/// list, ...). OverflowError for one that is out of range; TypeError by the rule, and for complex
/// numbers that are to be real.
bool store_number(nb::handle value, ElementType type, void* element, Rule rule = Rule::same_kind);

/// A number for the library's algebra on arrays of type `type`: TypeError for anything else and for
/// what they cannot hold, OverflowError, as `store_number`. `what` names the argument.
Scalar scalar_from(nb::handle value, ElementType type, const char* what,
                   Rule rule = Rule::same_kind);
/// How views of memory name an element type.
nb::dlpack::dtype dlpack_type(ElementType type);
/// A Python int, float or complex.
nb::object python_number(const Scalar& scalar);

}  // namespace lagoon::atoll::python
