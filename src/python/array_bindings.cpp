// ArrayBase: the extension's part of `atoll.Array` (python/atoll/_array.py builds on it).
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <vector>

#include "array_object.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "race_bindings.hpp"
#include "refusal.hpp"
#include "request.hpp"
#include "section.hpp"
#include "values.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::python {

int views_alive = 0;

namespace {

/// `Access`: nb::ro, or nothing.
template <class... Access, class Block>
nb::object view(const ArrayObject& object, const Block& block) {
  const AnyArray& array = object.get();
  const ElementType type = array.type();
  const int dimensions = array.dimensions();
  if (block.data == nullptr || block.patch.empty()) {
    const Index none = Index::filled(dimensions, 0);
    return empty_array({none.begin(), none.end()}, type).array;
  }
  const Index extents = object.without_dimension(block.patch.shape());
  std::vector<std::size_t> shape(extents.begin(), extents.end());
  std::vector<std::int64_t> strides(block.strides.begin(), block.strides.end());
  strides.resize(shape.size());
  const auto dtype = dlpack_type(type);
  auto* kept = new std::shared_ptr<AnyArray>(object.shared());
  ++views_alive;
  const nb::capsule owner(kept, [](void* p) noexcept {
    --views_alive;
    delete static_cast<std::shared_ptr<AnyArray>*>(p);
  });
  return nb::cast(nb::ndarray<nb::numpy, Access...>(block.data, shape.size(), shape.data(), owner,
                                                    strides.data(), dtype));
}

}  // namespace

nb::object view_of(const ArrayObject& object, const LocalBlock& block) {
  return followed(view(object, block), object, block.patch, block.data, block.strides);
}
nb::object view_of(const ArrayObject& object, const ReadableBlock& block) {
  return followed(view<nb::ro>(object, block), object, block.patch, block.data, block.strides);
}

namespace {

PyType_Slot element_slots[] = {
    {Py_mp_subscript, reinterpret_cast<void*>(&array_subscript)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(&array_assign_subscript)},
    {0, nullptr},
};

void create(ArrayObject* self, const Group& group, nb::handle shape, nb::handle dtype,
            const Layout& layout, const std::string& name, bool zero, bool mirrored) {
  const Index extents = index_from(shape);
  const bool single = extents.empty();
  const ElementType type = element_type_from(dtype);
  const ArrayOptions options{layout, name, zero, mirrored};
  new (self) ArrayObject(
      waiting([&] { return AnyArray(group, single ? Index{1} : extents, type, options); }), layout,
      single);
}

ArrayObject duplicate(const ArrayObject& self, const std::string& name, bool zero) {
  const AnyArray& array = self.get();
  return {waiting([&] { return array.duplicate(name, zero); }), self.layout(), self.single()};
}

/// A view that shows the memory keeps it: then the ranks only let go, and the last one frees.
void destroy(ArrayObject& self) {
  if (self.alive()) {
    AnyArray& array = self.get();
    const std::uint64_t viewed = self.viewed() ? 1 : 0;
    waiting([&] {
      const Group group = array.group();
      // A meeting, where a rank that was called wrongly tells the others.
      const bool same = detail::leave_with(group, viewed, {});
      if (same && viewed == 0)
        array.destroy();
      else
        group.sync();
    });
  }
  self.let_go();
}

int rank_or_mine(const ArrayObject& self, std::optional<int> rank) {
  const Group& group = self.get().group();
  if (!rank) return group.rank();
  if (*rank < 0 || *rank >= group.size()) {
    PyErr_Format(PyExc_IndexError, "rank %d is none of the group's %d", *rank, group.size());
    nb::raise_python_error();
  }
  return *rank;
}

nb::list blocks_of(const ArrayObject& self, std::optional<int> rank) {
  const ProgramLine line;
  const AnyArray& array = self.get();
  const int owner = rank_or_mine(self, rank);
  nb::list result;
  const auto append = [&](const auto& blocks) {
    for (const auto& block : blocks)
      if (!block.patch.empty())
        result.append(
            nb::make_tuple(key_of(self.without_dimension(block.patch)), view_of(self, block)));
  };
  if (array.read_only())
    append(array.readable_blocks(owner));
  else
    append(array.blocks(owner));
  return result;
}

nb::object block_of(const ArrayObject& self, std::optional<int> rank) {
  const ProgramLine line;
  const AnyArray& array = self.get();
  const int owner = rank_or_mine(self, rank);
  return array.read_only() ? view_of(self, array.readable_block(owner))
                           : view_of(self, array.block(owner));
}

void set_read_only(const ArrayObject& self, bool read_only) {
  AnyArray& array = self.get();
  waiting([&] { array.set_read_only(read_only); });
}

nb::list locate(const ArrayObject& self, nb::handle key) {
  const AnyArray& array = self.get();
  nb::list result;
  for (const OwnedPatch& part : array.locate(parse_patch(key, self.shape())))
    result.append(nb::make_tuple(part.rank, key_of(self.without_dimension(part.patch))));
  return result;
}

using Positions = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The positions as the library takes them: all coordinates, one element after the other.
std::span<const std::int64_t> coordinates(const AnyArray& array, const Positions& positions) {
  if (positions.shape(1) != static_cast<std::size_t>(array.dimensions()))
    throw nb::index_error("positions must have one column per dimension of the array");
  return {positions.data(), positions.size()};
}

nb::object gather(const ArrayObject& self, const Positions& positions) {
  const AnyArray& array = self.get();
  const auto where = coordinates(array, positions);
  const auto count = static_cast<std::int64_t>(positions.shape(0));
  NewArray result = empty_array({&count, 1}, array.type());
  if (count > 0) waiting_aside([&] { array.gather(where, result.data); });
  return std::move(result.array);
}

/// The values, one for each position and packed, kept by `values`.
const std::byte* packed_values(const Values& values, const Positions& positions) {
  if (values.dimensions() != 1 || values.extent(0) != static_cast<std::int64_t>(positions.shape(0)))
    throw nb::value_error("one value is wanted for each position");
  if (values.stride(0) != 1 && values.extent(0) > 1)
    throw nb::value_error("values must be contiguous");
  return values.data();
}

void scatter(const ArrayObject& self, const Positions& positions, nb::handle given) {
  AnyArray& array = self.get();
  const auto where = coordinates(array, positions);
  const Values values(given, array.type(), Rule::assign);
  const std::byte* const data = packed_values(values, positions);
  if (!where.empty()) waiting_aside([&] { array.scatter(where, data); });
}

void scatter_accumulate(const ArrayObject& self, const Positions& positions, nb::handle given,
                        nb::handle alpha) {
  AnyArray& array = self.get();
  const auto where = coordinates(array, positions);
  const Values values(given, array.type());
  const std::byte* const data = packed_values(values, positions);
  alignas(16) std::byte element[16];
  const void* const factor = read_alpha(alpha, array.type(), element);
  if (!where.empty()) waiting_aside([&] { array.scatter_accumulate(where, data, factor); });
}

/// An integer that goes into an element and comes back in as many bits.
std::int64_t bits_of(nb::handle number, const AnyArray& array, const char* what) {
  if (!can_count(array.type())) return 0;  // which the library refuses by its name
  int overflow = 1;
  if (PyLong_CheckExact(number.ptr())) {
    const long long plain = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow == 0 && fits(plain, array.type())) return plain;
  }
  const Scalar::Value value = scalar_from(number, array.type(), what).value();
  if (const auto* large = std::get_if<std::uint64_t>(&value))
    return static_cast<std::int64_t>(*large);
  return std::get<std::int64_t>(value);
}
nb::object number_of(std::int64_t bits, const AnyArray& array) {
  return python_number(array.type() == ElementType::uint64
                           ? Scalar(static_cast<std::uint64_t>(bits))
                           : Scalar(bits));
}

nb::object fetch_add(const ArrayObject& self, nb::handle position, nb::handle increment) {
  AnyArray& array = self.get();
  const Index where = parse_position(position, self.shape());
  const std::int64_t bits = bits_of(increment, array, "increment");
  std::int64_t old = 0;
  {
    const OneSided entry(self.waits(0));
    old = array.fetch_add(where, bits);
  }
  return number_of(old, array);
}

nb::object swap(const ArrayObject& self, nb::handle position, nb::handle value) {
  AnyArray& array = self.get();
  const Index where = parse_position(position, self.shape());
  const std::int64_t bits = bits_of(value, array, "value");
  std::int64_t old = 0;
  {
    const OneSided entry(self.waits(0));
    old = array.swap(where, bits);
  }
  return number_of(old, array);
}

void bind_ownership(nb::class_<ArrayObject>& c) {
  c.def_prop_ro(
       "layout", [](const ArrayObject& self) { return self.layout(); },
       "The layout it was created with.")
      .def_prop_ro(
          "distribution", [](const ArrayObject& self) { return self.get().distribution(); },
          "Which rank holds which patch.")
      .def(
          "owner_of",
          [](const ArrayObject& self, nb::handle position) {
            const AnyArray& array = self.get();
            return array.owner(parse_position(position, self.shape()));
          },
          nb::arg("position").none())
      .def("locate", &locate, nb::arg("patch").none(),
           nb::sig("def locate(self, patch: typing.Any) -> list[tuple[int, tuple[slice, ...]]]"),
           "Who owns what of a patch: (rank, key) pairs that cover it. Not collective.")
      .def(
          "patches",
          [](const ArrayObject& self, std::optional<int> rank) {
            std::vector<Patch> patches = self.get().patches(rank_or_mine(self, rank));
            for (Patch& patch : patches) patch = self.without_dimension(patch);
            return keys_of(patches);
          },
          nb::arg("rank") = nb::none(),
          nb::sig("def patches(self, rank: int | None = None) -> list[tuple[slice, ...]]"),
          "The patches that a rank owns (mine by default), as keys. Not collective.")
      .def(
          "local", [](const ArrayObject& self) { return block_of(self, std::nullopt); },
          nb::sig("def local(self) -> numpy.typing.NDArray[typing.Any]"),
          R"(My block as a writable NumPy view of the array's memory; no copy.

Stores need a `sync` before other ranks read them, and the other way round. The view stays valid
for as long as it exists, also when the array is destroyed. `local().__dlpack__` gives it to other
libraries. Of a read-only array the view is not writable. Block-cyclic and tiled arrays have `blocks`. Not collective.)")
      .def(
          "block", [](const ArrayObject& self, int rank) { return block_of(self, rank); },
          nb::arg("rank"),
          nb::sig("def block(self, rank: int) -> numpy.typing.NDArray[typing.Any]"),
          "As `local`, of another rank on my node (ValueError for one elsewhere).")
      .def("blocks", &blocks_of, nb::arg("rank") = nb::none(),
           nb::sig("def blocks(self, rank: int | None = None) -> "
                   "list[tuple[tuple[slice, ...], numpy.typing.NDArray[typing.Any]]]"),
           "All blocks of a rank on my node (me by default): (key, view) pairs, as `local`.");
}

void bind_elements(nb::class_<ArrayObject>& c) {
  constexpr const char* request_text =
      "Starts the operation and gives a Request; see `atoll.Request`. Not collective.";
  c.def("get_into", &array_get_into, nb::arg("key").none(), nb::arg("out").none(),
        nb::sig(
            "def get_into(self, key: typing.Any, out: numpy.typing.NDArray[typing.Any]) -> None"),
        "Reads a section into an existing NumPy array (any strides, the array's dtype).")
      .def("accumulate", &array_accumulate, nb::arg("key").none(), nb::arg("value").none(),
           nb::arg("alpha").none() = nb::none(),
           nb::sig("def accumulate(self, key: typing.Any, value: typing.Any, "
                   "alpha: typing.Any = None) -> None"),
           "a[key] += alpha * value, atomic per element; what `at` does. Not collective.")
      .def("get", &array_get, nb::arg("key").none() = nb::ellipsis(),
           nb::arg("out").none() = nb::none(),
           nb::sig("def get(self, key: typing.Any = ..., "
                   "out: numpy.typing.NDArray[typing.Any] | None = None) -> typing.Any"),
           R"(Reads a section: the same as `a[key]`, or into memory that is there.

`out` is a writable NumPy array of the section's shape and the array's dtype, with any strides; it
is filled and given back. Not collective.)")
      .def("get_async", &array_get_async, nb::arg("key").none(), nb::arg("out").none() = nb::none(),
           nb::sig("def get_async(self, key: typing.Any, "
                   "out: numpy.typing.NDArray[typing.Any] | None = None) -> Request"),
           R"(Starts to read, into `out` if it is given (see `get`), and gives a Request.

What is read, and `out`, are not to be touched before its `wait`. Not collective.)")
      .def("put_async", &array_put_async, nb::arg("key").none(), nb::arg("value").none(),
           nb::sig("def put_async(self, key: typing.Any, value: typing.Any) -> Request"),
           request_text)
      .def("accumulate_async", &array_accumulate_async, nb::arg("key").none(),
           nb::arg("value").none(), nb::arg("alpha").none() = nb::none(),
           nb::sig("def accumulate_async(self, key: typing.Any, value: typing.Any, "
                   "alpha: typing.Any = None) -> Request"),
           request_text)
      .def(
          "elements_from",
          [](const ArrayObject& self, nb::handle value, bool to_add) {
            return elements_of(value, self.get().type(), to_add ? Rule::same_kind : Rule::assign);
          },
          nb::arg("value").none(), nb::arg("to_add") = false,
          nb::sig("def elements_from(self, value: typing.Any, to_add: bool = False) -> "
                  "numpy.typing.NDArray[typing.Any]"),
          "What storing the value would store, or adding it add, as a NumPy array; errors are "
          "those "
          "of storing or adding.")
      .def("gather_elements", &gather, nb::arg("positions"),
           nb::sig("def gather_elements(self, positions: numpy.typing.NDArray[numpy.int64]) -> "
                   "numpy.typing.NDArray[typing.Any]"))
      .def("scatter_elements", &scatter, nb::arg("positions"), nb::arg("values"),
           nb::sig("def scatter_elements(self, positions: numpy.typing.NDArray[numpy.int64], "
                   "values: numpy.typing.NDArray[typing.Any]) -> None"))
      .def("scatter_accumulate_elements", &scatter_accumulate, nb::arg("positions"),
           nb::arg("values").none(), nb::arg("alpha").none() = nb::none(),
           nb::sig("def scatter_accumulate_elements(self, "
                   "positions: numpy.typing.NDArray[numpy.int64], "
                   "values: numpy.typing.NDArray[typing.Any], alpha: typing.Any = None) -> None"))
      .def("fetch_add", &fetch_add, nb::arg("position").none(), nb::arg("increment").none() = 1,
           nb::sig("def fetch_add(self, position: typing.Any, increment: int = 1) -> int"),
           "Adds to one element of an integer array, atomically; gives the old value.")
      .def("swap", &swap, nb::arg("position").none(), nb::arg("value").none(),
           nb::sig("def swap(self, position: typing.Any, value: int) -> int"),
           "Replaces one element of an integer array, atomically; gives the old value.");
  refuse_others(c, "get_into", "key, out");
  refuse_others(c, "accumulate", "key, value, alpha=None");
  refuse_others(c, "get", "key=..., out=None");
  refuse_others(c, "get_async", "key, out=None");
  refuse_others(c, "put_async", "key, value");
  refuse_others(c, "accumulate_async", "key, value, alpha=None");
}

}  // namespace

void bind_array(nb::module_& m) {
  // The stub shows type slots without types; python/atoll/_array.py declares them.
  nb::class_<ArrayObject> c(
      m, "ArrayBase", nb::type_slots(element_slots),
      nb::sig("# mypy: allow-untyped-defs, allow-incomplete-defs\nclass ArrayBase()"));
  c.def("__init__", &create, nb::arg("group"), nb::arg("shape").none(), nb::arg("dtype").none(),
        nb::arg("layout"), nb::arg("name"), nb::arg("zero"), nb::arg("mirrored"))
      .def(nb::init<const ArrayObject&>(), nb::arg("other"))
      .def("duplicate_base", &duplicate, nb::arg("name"), nb::arg("zero"))
      .def("destroy", &destroy,
           "Collective: completes operations on the array and frees its memory. Memory that a view "
           "from `local` shows goes with the view. Harmless when done twice.")
      .def_prop_ro("alive", &ArrayObject::alive,
                   "Whether it can be used: not destroyed, and the world still running.")
      .def_prop_ro(
          "shape", [](const ArrayObject& self) { return tuple_of(self.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Extents.")
      .def_prop_ro(
          "dtype",
          [](const ArrayObject& self) {
            return nb::borrow<nb::object>(numpy().dtype(self.get().type()));
          },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "Element type.")
      .def_prop_ro(
          "ndim", [](const ArrayObject& self) { return self.shape().size(); },
          "Number of dimensions.")
      .def_prop_ro(
          "size", [](const ArrayObject& self) { return self.get().elements(); },
          "Number of elements.")
      .def_prop_ro(
          "name", [](const ArrayObject& self) { return self.get().name(); }, "Shown in messages.")
      .def_prop_ro(
          "group", [](const ArrayObject& self) { return self.get().group(); },
          "The ranks that share it; of a mirrored array those that share my node's copy.")
      .def_prop_ro(
          "mirrored", [](const ArrayObject& self) { return self.get().mirrored(); },
          "Whether every node has a copy of its own.")
      .def_prop_rw(
          "read_only", [](const ArrayObject& self) { return self.get().read_only(); },
          &set_read_only,
          R"(Whether the array is said not to change. Setting it is collective.

While it is, every write through the array raises RuntimeError, views of blocks are not writable,
and what `a[...]` fetches from other nodes stays in a cache that the ranks of each node share.)")
      .def_prop_ro(
          "whole_group", [](const ArrayObject& self) { return self.get().whole_group(); },
          "The ranks of all copies of a mirrored array; of others the same as `group`.");
  bind_ownership(c);
  bind_elements(c);
  m.def(
      "element_types",
      [] {
        nb::list names;
        for (const ElementTraits& traits : element_traits)
          names.append(nb::str(traits.name.data(), traits.name.size()));
        return names;
      },
      nb::sig("def element_types() -> list[str]"), "NumPy's names of what arrays may hold.");
}

}  // namespace lagoon::atoll::python
