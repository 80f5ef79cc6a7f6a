// Algebra on whole arrays for Python. Every function is collective and waits.
#include <nanobind/stl/string.h>

#include <sstream>
#include <string>

#include "array_object.hpp"
#include "atoll/algebra.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

namespace {

Norm norm_kind(const std::string& name) {
  if (name == "one") return Norm::one;
  if (name == "two") return Norm::two;
  if (name == "infinity") return Norm::infinity;
  throw nb::value_error("a norm is 'one', 'two' or 'infinity'");
}

void fill_array(const ArrayObject& a, nb::handle value, nb::handle key) {
  AnyArray& array = a.get();
  const Scalar scalar = scalar_from(value, array.type());
  if (key.is_none()) {
    waiting([&] { fill(array, scalar); });
  } else {
    const Patch patch = parse_patch(key, array.shape());
    waiting([&] { fill(array, patch, scalar); });
  }
}

void copy_array(const ArrayObject& source, ArrayObject& target, nb::handle source_key,
                nb::handle target_key, bool transpose) {
  const AnyArray& from = source.get();
  AnyArray& to = target.get();
  if (source_key.is_none() && target_key.is_none() && !transpose) {
    waiting([&] { copy(from, to); });
    return;
  }
  const Patch from_patch =
      source_key.is_none() ? whole(from.shape()) : parse_patch(source_key, from.shape());
  const Patch to_patch =
      target_key.is_none() ? whole(to.shape()) : parse_patch(target_key, to.shape());
  waiting(
      [&] { copy(from, from_patch, to, to_patch, transpose ? Transpose::yes : Transpose::no); });
}

nb::tuple extremum(const ArrayObject& a, Extremum (*find)(const AnyArray&)) {
  const AnyArray& array = a.get();
  const Extremum found = waiting([&] { return find(array); });
  return nb::make_tuple(python_number(found.value), tuple_of(found.position));
}

}  // namespace

void bind_algebra(nb::module_& m) {
  m.def("fill", &fill_array, nb::arg("a"), nb::arg("value"), nb::arg("key").none() = nb::none());
  m.def("copy", &copy_array, nb::arg("source"), nb::arg("target"),
        nb::arg("source_key").none() = nb::none(), nb::arg("target_key").none() = nb::none(),
        nb::arg("transpose") = false);
  m.def(
      "scale",
      [](const ArrayObject& a, nb::handle factor) {
        AnyArray& array = a.get();
        const Scalar scalar = scalar_from(factor, array.type());
        waiting([&] { scale(array, scalar); });
      },
      nb::arg("a"), nb::arg("factor"));
  m.def(
      "add",
      [](nb::handle alpha, const ArrayObject& a, nb::handle beta, const ArrayObject& b,
         const ArrayObject& c) {
        AnyArray& target = c.get();
        const AnyArray& first = a.get();
        const AnyArray& second = b.get();
        const Scalar factor_a = scalar_from(alpha, target.type());
        const Scalar factor_b = scalar_from(beta, target.type());
        waiting([&] { add(factor_a, first, factor_b, second, target); });
      },
      nb::arg("alpha"), nb::arg("a"), nb::arg("beta"), nb::arg("b"), nb::arg("c"));
  m.def(
      "sum",
      [](const ArrayObject& a) {
        const AnyArray& array = a.get();
        return python_number(waiting([&] { return sum(array); }));
      },
      nb::arg("a"), nb::sig("def sum(a: ArrayBase) -> typing.Any"));
  m.def(
      "dot",
      [](const ArrayObject& a, const ArrayObject& b) {
        const AnyArray& first = a.get();
        const AnyArray& second = b.get();
        return python_number(waiting([&] { return dot(first, second); }));
      },
      nb::arg("a"), nb::arg("b"), nb::sig("def dot(a: ArrayBase, b: ArrayBase) -> typing.Any"));
  m.def(
      "norm",
      [](const ArrayObject& a, const std::string& kind) {
        const AnyArray& array = a.get();
        const Norm which = norm_kind(kind);
        return waiting([&] { return norm(array, which); });
      },
      nb::arg("a"), nb::arg("kind"));
  m.def(
      "minimum_element", [](const ArrayObject& a) { return extremum(a, &minimum_element); },
      nb::arg("a"),
      nb::sig("def minimum_element(a: ArrayBase) -> tuple[typing.Any, tuple[int, ...]]"));
  m.def(
      "maximum_element", [](const ArrayObject& a) { return extremum(a, &maximum_element); },
      nb::arg("a"),
      nb::sig("def maximum_element(a: ArrayBase) -> tuple[typing.Any, tuple[int, ...]]"));
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
