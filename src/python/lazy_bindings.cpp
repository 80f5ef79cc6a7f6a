// Lazy mirrors for Python: the extension's part of `atoll.LazyMirror` (python/atoll/array/lazy.py).
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "array_object.hpp"
#include "atoll/lazy_mirror.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "section.hpp"
#include "values.hpp"

namespace lagoon::atoll::python {

namespace {

/// The library's handle; dropped on whatever thread Python's garbage collector runs.
class LazyObject {
 public:
  LazyObject(const ArrayObject& array, std::int64_t budget)
      : mirror_(waiting([&] { return std::make_unique<AnyLazyMirror>(array.get(), budget); })) {}
  LazyObject(const LazyObject&) = delete;
  LazyObject& operator=(const LazyObject&) = delete;
  ~LazyObject() {
    if (mirror_ == nullptr) return;
    const Entry entry(Entry::Waits::no);
    mirror_.reset();
  }
  AnyLazyMirror& get() const { return *mirror_; }

 private:
  std::unique_ptr<AnyLazyMirror> mirror_;
};

nb::object read(nb::handle self, nb::handle key) {
  const AnyLazyMirror& mirror = nb::cast<LazyObject&>(self).get();
  const ElementType type = mirror.type();
  Section section;
  if (!parse_key(key, mirror.shape(), section)) return self.attr("_fancy_get")(key);
  if (section.scalar) {
    alignas(16) std::byte element[16];
    waiting([&] { mirror.get(section.patch, element); });
    return numpy_scalar(type, element);
  }
  NewArray result = empty_array(section.result_shape(), type);
  if (section.elements > 0) {
    const SectionMemory memory = packed_memory(section, result.data, size_of(type));
    waiting([&] { mirror.get(section.patch, memory.data, memory.strides); });
  }
  return std::move(result.array);
}

void get_into(nb::handle self, nb::handle key, nb::handle out) {
  const AnyLazyMirror& mirror = nb::cast<LazyObject&>(self).get();
  const ElementType type = mirror.type();
  Section section;
  if (!parse_key(key, mirror.shape(), section)) {
    out[nb::ellipsis()] = self.attr("_fancy_get")(key);
    return;
  }
  const Values target = Values::writable(out, type);
  const SectionMemory memory = exact_memory(section, target, size_of(type));
  if (section.elements > 0)
    waiting([&] { mirror.get(section.patch, memory.data, memory.strides); });
}

using Positions = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object gather(const LazyObject& self, const Positions& positions) {
  const AnyLazyMirror& mirror = self.get();
  if (positions.shape(1) != static_cast<std::size_t>(mirror.shape().size()))
    throw nb::index_error("positions must have one column per dimension of the array");
  const auto count = static_cast<std::int64_t>(positions.shape(0));
  NewArray result = empty_array({&count, 1}, mirror.type());
  if (count > 0)
    waiting_aside([&] { mirror.gather({positions.data(), positions.size()}, result.data); });
  return std::move(result.array);
}

std::string text_of(const LazyCounts& c) {
  return "LazyCounts(hits=" + std::to_string(c.hits) + ", misses=" + std::to_string(c.misses) +
         ", bypasses=" + std::to_string(c.bypasses) + ", direct=" + std::to_string(c.direct) +
         ", evictions=" + std::to_string(c.evictions) +
         ", fetched_bytes=" + std::to_string(c.fetched_bytes) + ")";
}

void bind_statistics(nb::module_& m) {
  nb::class_<LazyCounts>(m, "LazyCounts", R"(What reads of a lazy mirror were answered from.

A read counts once for each tile that it touches, one by index arrays once for each element.)")
      .def_ro("hits", &LazyCounts::hits,
              "The tile was on the node, or just being fetched by another rank.")
      .def_ro("misses", &LazyCounts::misses, "The tile was fetched.")
      .def_ro("bypasses", &LazyCounts::bypasses,
              "No slot was free: only what was wanted was fetched.")
      .def_ro("direct", &LazyCounts::direct,
              "Read in my node's part of the array; whole sections count once.")
      .def_ro("evictions", &LazyCounts::evictions, "Tiles dropped to make room.")
      .def_ro("fetched_bytes", &LazyCounts::fetched_bytes,
              "Bytes of elements that came from other nodes.")
      .def("__repr__", &text_of);
  nb::class_<LazyStatistics>(m, "LazyStatistics", "What a lazy mirror was good for so far.")
      .def_ro("rank", &LazyStatistics::rank, "Mine.")
      .def_ro("node", &LazyStatistics::node, "The sum over the ranks of my node.")
      .def_ro("tiles_held", &LazyStatistics::tiles_held, "Tiles on my node now.")
      .def_ro("tile_capacity", &LazyStatistics::tile_capacity,
              "How many tiles the budget allows; no more than the array has.")
      .def("__repr__", [](const LazyStatistics& s) {
        return "LazyStatistics(rank=" + text_of(s.rank) + ", node=" + text_of(s.node) +
               ", tiles_held=" + std::to_string(s.tiles_held) +
               ", tile_capacity=" + std::to_string(s.tile_capacity) + ")";
      });
}

}  // namespace

void bind_lazy_mirror(nb::module_& m) {
  bind_statistics(m);
  nb::class_<LazyObject>(m, "LazyMirrorBase")
      .def(
          "__init__",
          [](LazyObject* self, const ArrayObject& array, std::optional<std::int64_t> budget) {
            new (self) LazyObject(array, budget.value_or(AnyLazyMirror::default_budget));
          },
          nb::arg("array"), nb::arg("budget").none(),
          nb::sig("def __init__(self, array: ArrayBase, budget: int | None) -> None"))
      .def("__getitem__", &read, nb::arg("key").none(),
           nb::sig("def __getitem__(self, key: typing.Any, /) -> typing.Any"))
      .def("get_into", &get_into, nb::arg("key"), nb::arg("out"),
           nb::sig("def get_into(self, key: typing.Any, out: numpy.typing.NDArray[typing.Any]) -> "
                   "None"),
           "Reads a section into an existing NumPy array (any strides, the array's dtype).")
      .def("gather_elements", &gather, nb::arg("positions"),
           nb::sig("def gather_elements(self, positions: numpy.typing.NDArray[numpy.int64]) -> "
                   "numpy.typing.NDArray[typing.Any]"))
      .def(
          "refresh", [](const LazyObject& self) { waiting([&] { self.get().refresh(); }); },
          "Drops all tiles: what any rank wrote before is seen afterwards. Collective.")
      .def(
          "close", [](const LazyObject& self) { waiting([&] { self.get().close(); }); },
          "Frees the memory now. Collective. RuntimeError when closed already.")
      .def_prop_ro(
          "alive", [](const LazyObject& self) { return self.get().alive(); },
          "Whether it can be read: not closed, and the array not destroyed.")
      .def_prop_ro(
          "statistics", [](const LazyObject& self) { return self.get().statistics(); },
          "Hits, misses and the like, of this rank and of its node. Not collective.")
      .def_prop_ro(
          "budget", [](const LazyObject& self) { return self.get().budget(); },
          "Bytes of tiles that each node may hold.")
      .def_prop_ro(
          "shape", [](const LazyObject& self) { return tuple_of(self.get().shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "The array's extents.")
      .def_prop_ro(
          "dtype",
          [](const LazyObject& self) {
            return nb::borrow<nb::object>(numpy().dtype(self.get().type()));
          },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "The array's element type.")
      .def_prop_ro(
          "name", [](const LazyObject& self) { return self.get().name(); }, "The array's name.")
      .def_prop_ro(
          "group", [](const LazyObject& self) { return self.get().group(); },
          "The ranks that share the array.");
}

}  // namespace lagoon::atoll::python
