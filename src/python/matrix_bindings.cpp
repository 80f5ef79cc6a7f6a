// Algebra of whole matrices for Python.
#include "array_object.hpp"
#include "atoll/matrix.hpp"
#include "bindings.hpp"
#include "numpy.hpp"

namespace lagoon::atoll::python {

namespace {

/// A function of an array that is written and one that is read.
void bind_pair(nb::module_& m, const char* name, void (*f)(AnyArray&, const AnyArray&)) {
  m.def(
      name,
      [f](const ArrayObject& written, const ArrayObject& read) {
        AnyArray& target = written.get();
        const AnyArray& source = read.get();
        waiting([&] { f(target, source); });
      },
      nb::arg("a"), nb::arg("v"));
}

void bind_with_value(nb::module_& m, const char* name, void (*f)(AnyArray&, const Scalar&)) {
  m.def(
      name,
      [f](const ArrayObject& a, nb::handle value) {
        AnyArray& array = a.get();
        const Scalar scalar = scalar_from(value, array.type(), "the value");
        waiting([&] { f(array, scalar); });
      },
      nb::arg("a"), nb::arg("value").none());
}

}  // namespace

void bind_matrix(nb::module_& m) {
  bind_pair(m, "scale_rows", &scale_rows);
  bind_pair(m, "scale_columns", &scale_columns);
  bind_pair(m, "set_diagonal", &set_diagonal);
  bind_pair(m, "add_diagonal", &add_diagonal);
  bind_with_value(m, "fill_diagonal", &fill_diagonal);
  bind_with_value(m, "shift_diagonal", &shift_diagonal);
  m.def(
      "get_diagonal",
      [](const ArrayObject& a, const ArrayObject& v) {
        const AnyArray& array = a.get();
        AnyArray& vector = v.get();
        waiting([&] { get_diagonal(array, vector); });
      },
      nb::arg("a"), nb::arg("v"));
  m.def(
      "symmetrize",
      [](const ArrayObject& a) {
        AnyArray& array = a.get();
        waiting([&] { symmetrize(array); });
      },
      nb::arg("a"));
  m.def(
      "trace",
      [](const ArrayObject& a) {
        const AnyArray& array = a.get();
        return python_number(waiting([&] { return trace(array); }));
      },
      nb::arg("a"), nb::sig("def trace(a: ArrayBase) -> typing.Any"));
  m.def(
      "matrix_norm",
      [](const ArrayObject& a, bool of_rows) {
        const AnyArray& array = a.get();
        const MatrixNorm kind = of_rows ? MatrixNorm::infinity : MatrixNorm::one;
        return waiting([&] { return matrix_norm(array, kind); });
      },
      nb::arg("a"), nb::arg("of_rows"));
}

}  // namespace lagoon::atoll::python
