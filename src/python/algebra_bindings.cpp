// Copying and reducing arrays for Python. Every function is collective and
// waits.
#include <nanobind/stl/string.h>

#include <sstream>
#include <string>

#include "array_object.hpp"
#include "atoll/algebra.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "operand.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

namespace {

Norm norm_kind(const std::string& name) {
  if (name == "one") return Norm::one;
  if (name == "two") return Norm::two;
  if (name == "infinity") return Norm::infinity;
  throw Error(ErrorKind::value,
              "the kind of norm is '" + name + "', expected 'one', 'two' or 'infinity'");
}

void bind_extremum(nb::module_& m, const char* name, Extremum (*find)(const View&),
                   const char* signature) {
  m.def(
      name,
      [find](const Operand& a) {
        const View view = a.read();
        const Extremum found = waiting([&] { return find(view); });
        return nb::make_tuple(python_number(found.value),
                              tuple_of(a.object().without_dimension(found.position)));
      },
      nb::arg("a"), nb::sig(signature));
}

}  // namespace

void bind_algebra(nb::module_& m) {
  m.def(
      "copy",
      [](const Operand& source, const Operand& target) {
        const View from = source.read();
        const MutableView to = target.write();
        waiting([&] { copy(from, to); });
      },
      nb::arg("source"), nb::arg("target"));
  m.def(
      "sum",
      [](const Operand& a) {
        const View view = a.read();
        return python_number(waiting([&] { return sum(view); }));
      },
      nb::arg("a"), nb::sig("def sum(a: ArrayBase | ViewBase) -> typing.Any"));
  m.def(
      "sum_in_double",
      [](const Operand& a) {
        const View view = a.read();
        return waiting([&] { return sum_in_double(view); });
      },
      nb::arg("a"));
  m.def(
      "dot",
      [](const Operand& a, const Operand& b) {
        const View first = a.read(), second = b.read();
        return python_number(waiting([&] { return dot(first, second); }));
      },
      nb::arg("a"), nb::arg("b"),
      nb::sig("def dot(a: ArrayBase | ViewBase, b: ArrayBase | ViewBase) -> typing.Any"));
  m.def(
      "norm",
      [](const Operand& a, const std::string& kind) {
        const View view = a.read();
        const Norm which = norm_kind(kind);
        return waiting([&] { return norm(view, which); });
      },
      nb::arg("a"), nb::arg("kind"));
  bind_extremum(m, "minimum_element", &minimum_element,
                "def minimum_element(a: ArrayBase | ViewBase) -> "
                "tuple[typing.Any, tuple[int, ...]]");
  bind_extremum(m, "maximum_element", &maximum_element,
                "def maximum_element(a: ArrayBase | ViewBase) -> "
                "tuple[typing.Any, tuple[int, ...]]");
  m.def(
      "random_fill",
      [](const ArrayObject& a, std::uint64_t seed) {
        AnyArray& array = a.get();
        waiting([&] { random_fill(array, seed); });
      },
      nb::arg("a"), nb::arg("seed"));
  m.def(
      "to_text",
      [](const ArrayObject& a, int edge_items) {
        const AnyArray& array = a.get();
        return waiting([&] {
          std::ostringstream text;
          print(array, text, edge_items);
          return text.str();
        });
      },
      nb::arg("a"), nb::arg("edge_items"));
}

}  // namespace lagoon::atoll::python
