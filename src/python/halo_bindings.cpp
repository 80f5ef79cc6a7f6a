// Halos and periodic access for Python: the extension's part of python/atoll/array/halo.py.
#include "array_object.hpp"
#include "atoll/halo.hpp"
#include "atoll/periodic.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "program_line.hpp"
#include "request.hpp"
#include "section.hpp"
#include "values.hpp"

namespace lagoon::atoll::python {

namespace {

HaloOptions options_from(nb::handle periodic, bool corners, nb::handle directions) {
  HaloOptions options;
  options.corners = corners;
  for (const nb::handle wraps : periodic) options.periodic.push_back(nb::cast<bool>(wraps));
  for (const nb::handle direction : directions) options.directions.push_back(index_from(direction));
  return options;
}

void update(const ArrayObject& self, nb::handle periodic, bool corners, nb::handle directions) {
  AnyArray& array = self.get();
  const HaloOptions options = options_from(periodic, corners, directions);
  waiting([&] { update_halo(array, options); });
}

Request update_begin(const ArrayObject& self, nb::handle periodic, bool corners,
                     nb::handle directions) {
  AnyArray& array = self.get();
  const HaloOptions options = options_from(periodic, corners, directions);
  Request request(self.shared(), nb::none(), nullptr);
  request.start(waiting([&] { return update_halo_begin(array, options); }));
  return request;
}

std::size_t bytes_of(const Section& section, ElementType type) {
  return static_cast<std::size_t>(section.elements) * size_of(type);
}

nb::object get(const ArrayObject& self, nb::handle key) {
  const AnyArray& array = self.get();
  const ElementType type = array.type();
  const Section section = parse_periodic_key(key, self.shape());
  if (section.scalar) {
    alignas(16) std::byte element[16];
    {
      const OneSided entry(self.waits(size_of(type)));
      get_periodic(array, section.patch, element);
    }
    return numpy_scalar(type, element);
  }
  NewArray result = empty_array(section.result_shape(), type);
  if (section.elements > 0) {
    const SectionMemory memory = packed_memory(section, result.data, size_of(type));
    const OneSided entry(self.waits(bytes_of(section, type)));
    get_periodic(array, section.patch, memory.data, memory.strides);
  }
  return std::move(result.array);
}

void put(const ArrayObject& self, nb::handle key, nb::handle value) {
  AnyArray& array = self.get();
  const ElementType type = array.type();
  const Section section = parse_periodic_key(key, self.shape());
  const Values values(value, type, Rule::assign);
  const SectionMemory memory = broadcast_memory(section, values, size_of(type));
  if (section.elements == 0) return;
  const OneSided entry(self.waits(bytes_of(section, type)));
  put_periodic(array, section.patch, memory.data, memory.strides);
}

void accumulate(const ArrayObject& self, nb::handle key, nb::handle value, nb::handle alpha) {
  AnyArray& array = self.get();
  const ElementType type = array.type();
  const Section section = parse_periodic_key(key, self.shape());
  const Values values(value, type);
  const SectionMemory memory = broadcast_memory(section, values, size_of(type));
  alignas(16) std::byte element[16];
  const void* const factor = read_alpha(alpha, type, element);
  if (section.elements == 0) return;
  const OneSided entry(self.waits(bytes_of(section, type)));
  accumulate_periodic(array, section.patch, memory.data, factor, memory.strides);
}

}  // namespace

void bind_halo(nb::module_& m) {
  m.def("update_halo", &update, nb::arg("array"), nb::arg("periodic").none(), nb::arg("corners"),
        nb::arg("directions").none(),
        nb::sig("def update_halo(array: ArrayBase, periodic: collections.abc.Sequence[bool], "
                "corners: bool, "
                "directions: collections.abc.Iterable[collections.abc.Sequence[int]]) -> None"));
  m.def("update_halo_begin", &update_begin, nb::arg("array"), nb::arg("periodic"),
        nb::arg("corners"), nb::arg("directions").none(),
        nb::sig("def update_halo_begin(array: ArrayBase, periodic: collections.abc.Sequence[bool], "
                "corners: bool, "
                "directions: collections.abc.Iterable[collections.abc.Sequence[int]]) -> Request"));
  m.def(
      "local_with_halo",
      [](const ArrayObject& array) {
        const ProgramLine line;
        return view_of(array, local_with_halo(array.get()));
      },
      nb::arg("array"),
      nb::sig("def local_with_halo(array: ArrayBase) -> numpy.typing.NDArray[typing.Any]"));
  m.def("get_periodic", &get, nb::arg("array"), nb::arg("key").none(),
        nb::sig("def get_periodic(array: ArrayBase, key: typing.Any) -> typing.Any"));
  m.def("put_periodic", &put, nb::arg("array"), nb::arg("key").none(), nb::arg("value").none(),
        nb::sig("def put_periodic(array: ArrayBase, key: typing.Any, value: typing.Any) -> None"));
  m.def("accumulate_periodic", &accumulate, nb::arg("array"), nb::arg("key").none(),
        nb::arg("value").none(), nb::arg("alpha").none() = nb::none(),
        nb::sig("def accumulate_periodic(array: ArrayBase, key: typing.Any, value: typing.Any, "
                "alpha: typing.Any = None) -> None"));
}

}  // namespace lagoon::atoll::python
