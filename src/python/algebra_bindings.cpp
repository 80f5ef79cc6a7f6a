// Filling, copying and reducing arrays and patches for Python. Every function is collective and
// waits.
#include <nanobind/stl/string.h>

#include <sstream>
#include <string>

#include "array_object.hpp"
#include "atoll/algebra.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "operands.hpp"
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

nb::tuple extremum(const ArrayObject& a, nb::handle key,
                   Extremum (*find)(const AnyArray&, const Patch&)) {
  const AnyArray& array = a.get();
  const Patch patch = patch_or_all(key, array);
  const Extremum found = waiting([&] { return find(array, patch); });
  return nb::make_tuple(python_number(found.value), tuple_of(found.position));
}

nb::object dot_product(const ArrayObject& a, const ArrayObject& b, nb::handle a_key,
                       nb::handle b_key, bool transpose) {
  const AnyArray& first = a.get();
  const AnyArray& second = b.get();
  const Patch p = patch_or_all(a_key, first), q = patch_or_all(b_key, second);
  const Transpose b_form = transpose ? Transpose::yes : Transpose::no;
  return python_number(waiting([&] { return dot(first, p, second, q, Transpose::no, b_form); }));
}

}  // namespace

void bind_algebra(nb::module_& m) {
  m.def("fill", &fill_array, nb::arg("a"), nb::arg("value"), nb::arg("key").none() = nb::none());
  m.def("copy", &copy_array, nb::arg("source"), nb::arg("target"),
        nb::arg("source_key").none() = nb::none(), nb::arg("target_key").none() = nb::none(),
        nb::arg("transpose") = false);
  m.def(
      "sum",
      [](const ArrayObject& a, nb::handle key) {
        const AnyArray& array = a.get();
        const Patch patch = patch_or_all(key, array);
        return python_number(waiting([&] { return sum(array, patch); }));
      },
      nb::arg("a"), nb::arg("key").none() = nb::none(),
      nb::sig("def sum(a: ArrayBase, key: object | None = None) -> typing.Any"));
  m.def("dot", &dot_product, nb::arg("a"), nb::arg("b"), nb::arg("a_key").none() = nb::none(),
        nb::arg("b_key").none() = nb::none(), nb::arg("transpose") = false,
        nb::sig("def dot(a: ArrayBase, b: ArrayBase, a_key: object | None = None, b_key: object | "
                "None = None, transpose: bool = False) -> typing.Any"));
  m.def(
      "norm",
      [](const ArrayObject& a, const std::string& kind, nb::handle key) {
        const AnyArray& array = a.get();
        const Norm which = norm_kind(kind);
        const Patch patch = patch_or_all(key, array);
        return waiting([&] { return norm(array, patch, which); });
      },
      nb::arg("a"), nb::arg("kind"), nb::arg("key").none() = nb::none());
  m.def(
      "minimum_element",
      [](const ArrayObject& a, nb::handle key) { return extremum(a, key, &minimum_element); },
      nb::arg("a"), nb::arg("key").none() = nb::none(),
      nb::sig("def minimum_element(a: ArrayBase, key: object | None = None) -> "
              "tuple[typing.Any, tuple[int, ...]]"));
  m.def(
      "maximum_element",
      [](const ArrayObject& a, nb::handle key) { return extremum(a, key, &maximum_element); },
      nb::arg("a"), nb::arg("key").none() = nb::none(),
      nb::sig("def maximum_element(a: ArrayBase, key: object | None = None) -> "
              "tuple[typing.Any, tuple[int, ...]]"));
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
