// Products of matrices for Python.
#include "array_object.hpp"
#include "atoll/matmul.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "operand.hpp"

namespace lagoon::atoll::python {

namespace {

using Steps = Operand::Steps;

void multiply_matrices(const Operand& a, const Operand& b, const Operand& c, nb::handle alpha,
                       nb::handle beta) {
  const MutableView result = c.write(Steps::one);
  const View left = a.read(Steps::one), right = b.read(Steps::one);
  const Scalar factor = scalar_from(alpha, result.array.type(), "alpha"),
               old = scalar_from(beta, result.array.type(), "beta");
  waiting([&] { matmul(factor, left, right, old, result); });
}

}  // namespace

void bind_matmul(nb::module_& m) {
  m.def("matmul", &multiply_matrices, nb::arg("a"), nb::arg("b"), nb::arg("c"),
        nb::arg("alpha").none(), nb::arg("beta").none());
  m.def(
      "matvec",
      [](const Operand& a, const ArrayObject& x, const ArrayObject& y) {
        AnyArray& result = y.get();
        const AnyArray& vector = x.get();
        const View matrix = a.read(Steps::one);
        waiting([&] { matvec(1, matrix, vector, 0, result); });
      },
      nb::arg("a"), nb::arg("x"), nb::arg("y"));
}

}  // namespace lagoon::atoll::python
