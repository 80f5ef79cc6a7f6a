// Solvers of linear systems and eigenproblems for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "array_object.hpp"
#include "atoll/solvers.hpp"
#include "bindings.hpp"
#include "numpy.hpp"

namespace lagoon::atoll::python {

namespace {

SolverOptions options_of(bool upper) {
  return {.triangle = upper ? Triangle::upper : Triangle::lower};
}

/// A function that makes an array of one.
void bind_square(nb::module_& m, const char* name,
                 void (*f)(const AnyArray&, AnyArray&, const SolverOptions&)) {
  m.def(
      name,
      [f](const ArrayObject& a, const ArrayObject& result, bool upper) {
        const AnyArray& array = a.get();
        AnyArray& out = result.get();
        waiting([&] { f(array, out, options_of(upper)); });
      },
      nb::arg("a"), nb::arg("result"), nb::arg("upper") = false);
}

/// A function that makes an array of two.
void bind_system(nb::module_& m, const char* name,
                 void (*f)(const AnyArray&, const AnyArray&, AnyArray&, const SolverOptions&)) {
  m.def(
      name,
      [f](const ArrayObject& a, const ArrayObject& b, const ArrayObject& x, bool upper) {
        const AnyArray& array = a.get();
        const AnyArray& sides = b.get();
        AnyArray& out = x.get();
        waiting([&] { f(array, sides, out, options_of(upper)); });
      },
      nb::arg("a"), nb::arg("b"), nb::arg("x"), nb::arg("upper") = false);
}

}  // namespace

void bind_solvers(nb::module_& m) {
  bind_square(m, "cholesky", &cholesky);
  bind_square(m, "cholesky_inverse", &cholesky_inverse);
  bind_square(m, "inverse", &inverse);
  bind_system(m, "solve", &solve);
  bind_system(m, "cholesky_solve", &cholesky_solve);
  m.def(
      "eigh",
      [](const ArrayObject& a, const ArrayObject* b, const ArrayObject* vectors, bool upper) {
        const AnyArray& left = a.get();
        const AnyArray* right = b == nullptr ? nullptr : &b->get();
        AnyArray* out = vectors == nullptr ? nullptr : &vectors->get();
        const SolverOptions options = options_of(upper);
        return waiting([&] {
          if (right == nullptr)
            return out == nullptr ? eigvalsh(left, options) : eigh(left, *out, options);
          return out == nullptr ? eigvalsh(left, *right, options)
                                : eigh(left, *right, *out, options);
        });
      },
      nb::arg("a"), nb::arg("b").none(), nb::arg("vectors").none(), nb::arg("upper"));
  m.def(
      "svd",
      [](const ArrayObject& a, const ArrayObject* u, const ArrayObject* vh) {
        const AnyArray& array = a.get();
        AnyArray* left = u == nullptr ? nullptr : &u->get();
        AnyArray* right = vh == nullptr ? nullptr : &vh->get();
        return waiting([&] {
          return left == nullptr || right == nullptr ? singular_values(array)
                                                     : svd(array, *left, *right);
        });
      },
      nb::arg("a"), nb::arg("u").none(), nb::arg("vh").none());
}

}  // namespace lagoon::atoll::python
