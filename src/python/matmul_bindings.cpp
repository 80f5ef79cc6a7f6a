// Products of matrices for Python.
#include <nanobind/stl/string.h>

#include <string>

#include "array_object.hpp"
#include "atoll/matmul.hpp"
#include "bindings.hpp"
#include "factor.hpp"
#include "numpy.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

namespace {

MatrixForm matrix_form(const std::string& name) {
  if (name == "N") return MatrixForm::plain;
  if (name == "T") return MatrixForm::transposed;
  if (name == "C") return MatrixForm::conjugated;
  if (name == "H") return MatrixForm::adjoint;
  throw nb::value_error(
      ("a matrix enters a product as 'N', 'T', 'C' (conjugated) or 'H' (both), not '" + name + "'")
          .c_str());
}

void multiply_matrices(const ArrayObject& a, const ArrayObject& b, const ArrayObject& c,
                       nb::handle alpha, nb::handle beta, const std::string& a_form,
                       const std::string& b_form, nb::handle a_key, nb::handle b_key,
                       nb::handle c_key) {
  AnyArray& result = c.get();
  const Factor left = factor_of(a.get(), a_key, a_form), right = factor_of(b.get(), b_key, b_form);
  const Scalar factor = scalar_from(alpha, result.type()), old = scalar_from(beta, result.type());
  const Patch patch = c_key.is_none() ? whole(result.shape()) : parse_patch(c_key, result.shape());
  waiting([&] { matmul(factor, left, right, old, result, patch); });
}

}  // namespace

Factor factor_of(const AnyArray& array, nb::handle key, const std::string& form) {
  if (key.is_none()) return {array, matrix_form(form)};
  return {array, parse_patch(key, array.shape()), matrix_form(form)};
}

void bind_matmul(nb::module_& m) {
  m.def("matmul", &multiply_matrices, nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("alpha"),
        nb::arg("beta"), nb::arg("a_form"), nb::arg("b_form"), nb::arg("a_key").none(),
        nb::arg("b_key").none(), nb::arg("c_key").none());
  m.def(
      "matvec",
      [](const ArrayObject& a, const ArrayObject& x, const ArrayObject& y, bool transposed) {
        AnyArray& result = y.get();
        const AnyArray& vector = x.get();
        const Factor factor(a.get(), transposed ? MatrixForm::transposed : MatrixForm::plain);
        waiting([&] { matvec(1, factor, vector, 0, result); });
      },
      nb::arg("a"), nb::arg("x"), nb::arg("y"), nb::arg("transposed"));
  m.def(
      "patch_shape",
      [](const ArrayObject& a, nb::handle key) {
        return tuple_of(parse_patch(key, a.get().shape()).shape());
      },
      nb::arg("a"), nb::arg("key"),
      nb::sig("def patch_shape(a: ArrayBase, key: object) -> tuple[int, ...]"));
}

}  // namespace lagoon::atoll::python
