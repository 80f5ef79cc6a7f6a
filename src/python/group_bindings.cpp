// Group for Python: ranks, nodes, collectives on NumPy arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "atoll/group.hpp"
#include "bindings.hpp"
#include "entry.hpp"
#include "mpi/face.hpp"
#include "mpi/library.hpp"
#include "mpi4py.hpp"
#include "numpy.hpp"
#include "values.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::python {

namespace {

/// NumPy's view of an array's memory as bytes.
std::span<std::byte> bytes_of(nb::handle array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_SIMPLE) != 0) nb::raise_python_error();
  const std::span<std::byte> bytes(static_cast<std::byte*>(view.buf),
                                   static_cast<std::size_t>(view.len));
  PyBuffer_Release(&view);
  return bytes;
}

/// What the root sends: first "dtype;extent;extent" (or "!reason" when it cannot), then the data,
/// so that a bad value raises on every member.
nb::object broadcast(const Group& group, nb::handle value, int root) {
  if (root < 0 || root >= group.size())
    throw Error(ErrorKind::value, "root is " + std::to_string(root) + ", expected a rank of " +
                                      std::to_string(group.size()));
  const nb::module_ np = nb::module_::import_("numpy");
  const bool sends = group.rank() == root;
  nb::object array;
  std::string heading;
  if (sends) {
    array = np.attr("asarray")(value, nb::arg("order") = "C");
    const nb::object dtype = array.attr("dtype");
    if (nb::cast<bool>(dtype.attr("hasobject")) || !dtype.attr("names").is_none()) {
      heading = "!broadcast takes arrays of numbers or strings, not " +
                std::string(nb::str(dtype).c_str());
    } else {
      heading = nb::cast<std::string>(dtype.attr("str"));
      for (const nb::handle extent : array.attr("shape"))
        heading += ";" + std::to_string(nb::cast<long long>(extent));
    }
  }
  waiting([&] {
    detail::enter_collective(group, "broadcast", static_cast<std::uint64_t>(root), nullptr);
    group.broadcast(heading, root);
  });
  if (heading.starts_with('!')) throw nb::type_error(heading.c_str() + 1);
  if (!sends) {
    const nb::list parts(nb::str(heading.c_str()).attr("split")(";"));
    std::vector<long long> shape;
    for (std::size_t d = 1; d < parts.size(); ++d)
      shape.push_back(std::stoll(nb::cast<std::string>(parts[d])));
    array = np.attr("empty")(nb::tuple(nb::cast(shape)), parts[0]);
  }
  if (nb::cast<long long>(array.attr("nbytes")) > 0) {
    const std::span<std::byte> bytes = bytes_of(array);
    waiting([&] { group.broadcast_bytes(bytes, root); });
  }
  return array;
}

Reduction reduction(const std::string& name) {
  if (name == "sum") return Reduction::sum;
  if (name == "product") return Reduction::product;
  if (name == "min") return Reduction::minimum;
  if (name == "max") return Reduction::maximum;
  throw Error(ErrorKind::value, "op is '" + name + "', expected 'sum', 'product', 'min' or 'max'");
}

nb::object reduce(const Group& group, nb::handle value, const std::string& op) {
  const Reduction which = reduction(op);
  const nb::module_ np = nb::module_::import_("numpy");
  const nb::object array =
      np.attr("array")(value, nb::arg("order") = "C", nb::arg("subok") = false);
  const ElementType type = element_type_from(array.attr("dtype"));
  const auto count = nb::cast<std::size_t>(array.attr("size"));
  const std::span<std::byte> bytes = count > 0 ? bytes_of(array) : std::span<std::byte>();
  const std::uint64_t hash = detail::mix(detail::mix(count, static_cast<std::uint64_t>(type)),
                                         static_cast<std::uint64_t>(which));
  waiting([&] {
    detail::enter_collective(group, "reduce", hash, nullptr);
    group.reduce_elements(bytes.data(), count, type, which);
  });
  return array[nb::make_tuple()];  // no dimensions: a scalar
}

nb::object group_or_none(Group&& group) {
  return group ? nb::cast(std::move(group)) : nb::object(nb::none());
}

/// A function of the package's room for what mpi4py does among the members.
nb::object in_python(const char* name) {
  return nb::module_::import_("atoll._messages").attr(name);
}

void bind_messages(nb::class_<Group>& c) {
  c.def(
       "gather",
       [](nb::handle self, nb::handle value, nb::handle root) {
         return in_python("gather")(self, value, root);
       },
       nb::arg("value").none(), nb::arg("root") = 0,
       nb::sig("def gather(self, value: typing.Any, root: int = 0) -> "
               "numpy.typing.NDArray[typing.Any] | None"),
       "The members' values, of equal shapes and types, one behind the other along a new first "
       "axis, "
       "on the root; None on the others. Collective.")
      .def(
          "allgather",
          [](nb::handle self, nb::handle value) { return in_python("allgather")(self, value); },
          nb::arg("value").none(),
          nb::sig("def allgather(self, value: typing.Any) -> numpy.typing.NDArray[typing.Any]"),
          "As `gather`, on every member. Collective.")
      .def(
          "scan",
          [](nb::handle self, nb::handle value, nb::handle op) {
            return in_python("scan")(self, value, op);
          },
          nb::arg("value").none(), nb::arg("op") = "sum",
          nb::sig("def scan(self, value: typing.Any, op: str = 'sum') -> typing.Any"),
          "Element-wise 'sum', 'product', 'min' or 'max' over the members up to me, me included. "
          "Collective.")
      .def(
          "alltoall",
          [](nb::handle self, nb::handle values) { return in_python("alltoall")(self, values); },
          nb::arg("values").none(),
          nb::sig("def alltoall(self, values: typing.Any) -> numpy.typing.NDArray[typing.Any]"),
          "Row `i` of `values` to member `i`, as many rows as members; row `i` of the result is "
          "from "
          "member `i`. Collective.")
      .def_static(
          "from_mpi4py", [](nb::handle comm) { return in_python("group_of")(comm); },
          nb::arg("comm").none(), nb::sig("def from_mpi4py(comm: typing.Any) -> Group | None"),
          "The processes of an mpi4py communicator, in its order, as a group; None where the rank "
          "gives "
          "MPI.COMM_NULL. Collective over the default group, of which they are; ranks may give "
          "several communicators, each all of one.");
}

/// Where a member is wanted: IndexError rather than whatever lies behind the table.
int member(const Group& group, int rank) {
  if (rank < 0 || rank >= group.size())
    throw Error(ErrorKind::index, "rank is " + std::to_string(rank) + ", expected one of " +
                                      std::to_string(group.size()));
  return rank;
}

void bind_collectives(nb::class_<Group>& c) {
  c.def(
       "barrier", [](const Group& g) { waiting([&] { g.barrier(); }); },
       "Waits for every member. Collective. Completes no one-sided operations: see `sync`.")
      .def(
          "sync", [](const Group& g) { waiting([&] { g.sync(); }); },
          "Completes all one-sided operations of all members, then waits for them. Collective.")
      .def(
          "fence",
          [](const Group& g, std::optional<int> rank) {
            if (rank) member(g, *rank);
            waiting_aside([&] { rank ? g.fence(*rank) : g.fence(); });
          },
          nb::arg("rank") = nb::none(),
          "Completes my operations at one member, or at all. Not collective.")
      .def("broadcast", &broadcast, nb::arg("value").none(), nb::arg("root") = 0,
           nb::sig("def broadcast(self, value: typing.Any, root: int = 0) -> "
                   "numpy.typing.NDArray[typing.Any]"),
           "The root's value as an array on every member. The others may pass None. Collective.")
      .def(
          "reduce", &reduce, nb::arg("value").none(), nb::arg("op") = "sum",
          nb::sig("def reduce(self, value: typing.Any, op: str = 'sum') -> typing.Any"),
          "Element-wise 'sum', 'product', 'min' or 'max' over the members, of a number or an array "
          "of equal shape everywhere; every member gets it. Collective.")
      .def(
          "create",
          [](const Group& g, const std::vector<int>& ranks) {
            return group_or_none(waiting([&] { return g.create(ranks); }));
          },
          nb::arg("ranks"),
          nb::sig("def create(self, ranks: collections.abc.Sequence[int]) -> Group | None"),
          "These members, in this order, as a group; None for the others. Collective.")
      .def(
          "split",
          [](const Group& g, int colour, int key) {
            return group_or_none(waiting([&] { return g.split(colour, key); }));
          },
          nb::arg("colour"), nb::arg("key") = 0,
          nb::sig("def split(self, colour: int, key: int = 0) -> Group | None"),
          "Members with equal colours form a group, ordered by (key, rank); None for a negative "
          "colour. Collective.");
}

}  // namespace

void bind_group(nb::module_& m) {
  nb::class_<Group> c(m, "Group", R"(A set of ranks and the collectives among them.

`atoll.world()` is the group of all; `create` and `split` make others. All members call collective
functions in the same order.)");
  c.def_prop_ro("rank", &Group::rank, "My number, 0 <= rank < size.")
      .def_prop_ro("size", &Group::size, "Number of members.")
      .def_prop_ro("nodes", &Group::nodes, "Number of nodes that members live on.")
      .def_prop_ro("node", &Group::node, "The node that I am on.")
      .def_prop_ro(
          "node_ranks", [](const Group& g) { return g.node_ranks(); },
          "Members on my node, ascending.")
      .def(
          "node_of", [](const Group& g, int rank) { return g.node_of(member(g, rank)); },
          nb::arg("rank"), "The node that a member is on.")
      .def(
          "same_node", [](const Group& g, int rank) { return g.same_node(member(g, rank)); },
          nb::arg("rank"), "Whether I share memory with a member.")
      .def(
          "world_rank", [](const Group& g, int rank) { return g.world_rank(member(g, rank)); },
          nb::arg("rank"), "The world's number of a member.")
      .def("rank_of_world", &Group::rank_of_world, nb::arg("world_rank"),
           "My number for a rank of the world; -1 when it is no member.")
      .def(
          "mpi4py",
          [](const Group& g) {
            if (mpi::library().file == "simulated")
              throw Error(ErrorKind::unsupported,
                          "mpi4py has no part in a run of `atoll simulate`");
            const nb::module_ theirs = nb::module_::import_("mpi4py.MPI");
            check_mpi4py();
            return theirs.attr("Comm").attr("f2py")(mpi::comm_c2f(g.mpi_communicator()));
          },
          nb::sig("def mpi4py(self) -> typing.Any"),
          "The members as an mpi4py communicator, for your own messages; do not free it.")
      .def(
          "__eq__", [](const Group& a, const Group& b) { return a == b; }, nb::is_operator(),
          nb::arg("other"), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Group& g) { return std::hash<const void*>()(g.state().get()); })
      .def("__len__", &Group::size)
      .def("__repr__", [](const Group& g) {
        return "<atoll.Group: rank " + std::to_string(g.rank()) + " of " +
               std::to_string(g.size()) + ", node " + std::to_string(g.node()) + " of " +
               std::to_string(g.nodes()) + ">";
      });
  bind_collectives(c);
  bind_messages(c);
}

}  // namespace lagoon::atoll::python
