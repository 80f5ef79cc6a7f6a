// Layout (how to cut an array) and Distribution (how it was cut) for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "atoll/distribution.hpp"
#include "atoll/error.hpp"
#include "bindings.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

namespace {

std::string kind_name(DistributionKind kind) {
  std::string name(traits_of(kind).name);
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return name;
}

/// As a program would write it.
std::string layout_text(const Layout& layout) {
  std::string text = "atoll." + kind_name(layout.kind);
  const std::string halo = layout.halo.empty() ? "" : ", halo=" + layout.halo.to_string();
  if (!layout.starts.empty()) {
    text += "([";
    for (std::size_t d = 0; d < layout.starts.size(); ++d) {
      text += d > 0 ? ", [" : "[";
      for (std::size_t b = 0; b < layout.starts[d].size(); ++b)
        text += (b > 0 ? ", " : "") + std::to_string(layout.starts[d][b]);
      text += ']';
    }
    return text + "]" + halo + ")";
  }
  text += '(';
  if (!layout.block.empty()) text += layout.block.to_string();
  if (!layout.grid.empty()) text += ", grid=" + layout.grid.to_string();
  return text + (text.back() == '(' && !halo.empty() ? halo.substr(2) : halo) + ")";
}

bool equal(const Layout& a, const Layout& b) {
  return a.kind == b.kind && a.block == b.block && a.grid == b.grid && a.starts == b.starts &&
         a.halo == b.halo;
}

// What pickles and copies are made of.
using LayoutState = std::tuple<int, std::vector<std::int64_t>, std::vector<std::int64_t>,
                               std::vector<std::vector<std::int64_t>>, std::vector<std::int64_t>>;

std::vector<std::int64_t> entries_of(const Index& index) { return {index.begin(), index.end()}; }

LayoutState state_of(const Layout& layout) {
  return {static_cast<int>(layout.kind), entries_of(layout.block), entries_of(layout.grid),
          layout.starts, entries_of(layout.halo)};
}

Layout layout_of(const LayoutState& state) {
  const auto& [kind, block, grid, starts, halo] = state;
  if (kind < 0 || static_cast<std::size_t>(kind) >= std::size(distribution_traits))
    throw Error(ErrorKind::value, "no such kind of layout: " + std::to_string(kind));
  return {static_cast<DistributionKind>(kind), Index(block), Index(grid), starts, Index(halo)};
}

using DistributionState = std::tuple<LayoutState, std::vector<std::int64_t>, int>;

}  // namespace

void bind_layout(nb::module_& m) {
  nb::class_<Layout>(m, "Layout", R"(How to cut an array; made by `atoll.blocked`, `irregular`,
`block_cyclic` and `tiled`, and given to the functions that create arrays.)")
      .def_static(
          "blocked",
          [](nb::handle minimum_block) { return Layout::blocked(index_from(minimum_block)); },
          nb::arg("minimum_block"),
          nb::sig("def blocked(minimum_block: collections.abc.Sequence[int]) -> Layout"))
      .def_static("irregular", &Layout::irregular, nb::arg("starts"))
      .def_static(
          "block_cyclic",
          [](nb::handle block, nb::handle grid) {
            return Layout::block_cyclic(index_from(block), index_from(grid));
          },
          nb::arg("block"), nb::arg("grid"),
          nb::sig("def block_cyclic(block: collections.abc.Sequence[int], "
                  "grid: collections.abc.Sequence[int]) -> Layout"))
      .def_static(
          "tiled",
          [](nb::handle tile, nb::handle grid) {
            return Layout::tiled(index_from(tile), index_from(grid));
          },
          nb::arg("tile"), nb::arg("grid"),
          nb::sig("def tiled(tile: collections.abc.Sequence[int], "
                  "grid: collections.abc.Sequence[int]) -> Layout"))
      .def(
          "with_halo",
          [](const Layout& self, nb::handle widths) { return self.with_halo(index_from(widths)); },
          nb::arg("widths"),
          nb::sig("def with_halo(self, widths: collections.abc.Sequence[int]) -> Layout"),
          "The same with a halo: its width per dimension, or one for all.")
      .def_prop_ro(
          "kind", [](const Layout& self) { return kind_name(self.kind); },
          "'blocked', 'irregular', 'block_cyclic' or 'tiled'.")
      .def(
          "__eq__", [](const Layout& a, const Layout& b) { return equal(a, b); }, nb::is_operator(),
          nb::arg("other"), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const Layout& self) { return nb::hash(nb::str(layout_text(self).c_str())); })
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](Layout& self, const LayoutState& state) { new (&self) Layout(layout_of(state)); })
      .def("__repr__", &layout_text);

  nb::class_<Distribution>(m, "Distribution", R"(Which rank holds which patch of an array: a layout
carried out for a shape and a number of ranks.)")
      .def(
          "__init__",
          [](Distribution* self, const Layout& layout, nb::handle shape, int ranks) {
            new (self) Distribution(layout, index_from(shape), ranks);
          },
          nb::arg("layout"), nb::arg("shape"), nb::arg("ranks"),
          nb::sig("def __init__(self, layout: Layout, shape: collections.abc.Sequence[int], "
                  "ranks: int) -> None"))
      .def_prop_ro(
          "layout", [](const Distribution& self) { return self.layout(); },
          "The wish that it carries out.")
      .def_prop_ro(
          "kind", [](const Distribution& self) { return kind_name(self.kind()); },
          "'blocked', 'irregular', 'block_cyclic' or 'tiled'.")
      .def_prop_ro(
          "shape", [](const Distribution& self) { return tuple_of(self.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Of the whole array.")
      .def_prop_ro("ranks", &Distribution::ranks, "Ranks it was cut for.")
      .def_prop_ro(
          "grid", [](const Distribution& self) { return tuple_of(self.grid()); },
          nb::sig("def grid(self) -> tuple[int, ...]"),
          "Ranks (block-cyclic, tiled) or blocks (blocked, irregular) per dimension.")
      .def_prop_ro(
          "block", [](const Distribution& self) { return tuple_of(self.block()); },
          nb::sig("def block(self) -> tuple[int, ...]"),
          "Size of a block; of the largest where they differ.")
      .def_prop_ro(
          "halo", [](const Distribution& self) { return tuple_of(self.halo()); },
          nb::sig("def halo(self) -> tuple[int, ...]"), "Width of the halo, per dimension.")
      .def(
          "patches",
          [](const Distribution& self, int rank) {
            if (rank < 0 || rank >= self.ranks()) throw nb::index_error("no such rank");
            return keys_of(self.patches(rank));
          },
          nb::arg("rank"), nb::sig("def patches(self, rank: int) -> list[tuple[slice, ...]]"),
          "The patches of a rank, as keys.")
      .def(
          "__eq__", [](const Distribution& a, const Distribution& b) { return a == b; },
          nb::is_operator(), nb::arg("other"),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const Distribution& self) {  // equal ones may be of different kinds
             return nb::hash(nb::make_tuple(tuple_of(self.shape()), tuple_of(self.grid())));
           })
      .def("__getstate__",
           [](const Distribution& self) {
             return DistributionState(state_of(self.layout()), entries_of(self.shape()),
                                      self.ranks());
           })
      .def("__setstate__",
           [](Distribution& self, const DistributionState& state) {
             const auto& [layout, shape, ranks] = state;
             new (&self) Distribution(layout_of(layout), Index(shape), ranks);
           })
      .def("__str__", &Distribution::to_string)
      .def("__repr__", [](const Distribution& self) {
        return "atoll.Distribution(" + layout_text(self.layout()) + ", " +
               nb::cast<std::string>(nb::repr(tuple_of(self.shape()))) + ", " +
               std::to_string(self.ranks()) + ")";
      });
}

}  // namespace lagoon::atoll::python
