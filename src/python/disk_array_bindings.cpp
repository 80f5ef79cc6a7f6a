// Disk arrays for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "array_object.hpp"
#include "atoll/disk_array.hpp"
#include "bindings.hpp"
#include "entry.hpp"
#include "numpy.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

namespace {

Index index_of(const std::vector<std::int64_t>& values) {
  return Index(std::span<const std::int64_t>(values));
}

Durability durability_of(bool in_place) {
  return in_place ? Durability::in_place : Durability::scratch;
}

Patch patch_or_whole(nb::handle key, const Index& shape) {
  return key.is_none() ? whole(shape) : parse_patch(key, shape);
}

class DiskArrayObject {
 public:
  explicit DiskArrayObject(DiskArray array) : array_(std::move(array)) {}

  void write(const ArrayObject& source, nb::handle at, nb::handle source_key, bool transpose) {
    const AnyArray& array = source.get();
    const Patch from = patch_or_whole(source_key, array.shape());
    const Patch patch = patch_or_whole(at, array_.shape());
    waiting([&] { array_.write(array, from, patch, form(transpose)); });
  }
  void read(const ArrayObject& target, nb::handle at, nb::handle target_key, bool transpose) {
    AnyArray& array = target.get();
    const Patch to = patch_or_whole(target_key, array.shape());
    const Patch patch = patch_or_whole(at, array_.shape());
    waiting([&] { array_.read(array, to, patch, form(transpose)); });
  }
  DiskArray& array() noexcept { return array_; }
  const DiskArray& array() const noexcept { return array_; }

 private:
  static Transpose form(bool transpose) { return transpose ? Transpose::yes : Transpose::no; }
  DiskArray array_;
};

}  // namespace

void bind_disk_array(nb::module_& m) {
  nb::class_<DiskArrayObject>(m, "DiskArrayBase")
      .def_static(
          "create",
          [](const Group& group, const std::string& path, const std::vector<std::int64_t>& shape,
             nb::handle dtype, const std::vector<std::int64_t>& request,
             const std::vector<std::int64_t>& tile, bool in_place, const std::string& name) {
            const ElementType type = element_type_from(dtype);
            const DiskArrayOptions options{index_of(request), index_of(tile),
                                           durability_of(in_place), name};
            const Index extents = index_of(shape);
            return DiskArrayObject(
                waiting([&] { return DiskArray::create(group, path, extents, type, options); }));
          },
          nb::arg("group"), nb::arg("path"), nb::arg("shape"), nb::arg("dtype"), nb::arg("request"),
          nb::arg("tile"), nb::arg("in_place"), nb::arg("name"))
      .def_static(
          "open",
          [](const Group& group, const std::string& path, bool writes, bool in_place) {
            return DiskArrayObject(waiting(
                [&] { return DiskArray::open(group, path, writes, durability_of(in_place)); }));
          },
          nb::arg("group"), nb::arg("path"), nb::arg("writes"), nb::arg("in_place"))
      .def("write", &DiskArrayObject::write, nb::arg("array"), nb::arg("at").none(),
           nb::arg("source").none(), nb::arg("transpose"))
      .def("read", &DiskArrayObject::read, nb::arg("array"), nb::arg("at").none(),
           nb::arg("target").none(), nb::arg("transpose"))
      .def(
          "extents",
          [](const DiskArrayObject& object, nb::handle at) {
            return tuple_of(patch_or_whole(at, object.array().shape()).shape());
          },
          nb::arg("at").none(), "The shape of a section.")
      .def("verify", [](DiskArrayObject& object) { waiting([&] { object.array().verify(); }); })
      .def("close", [](DiskArrayObject& object) { waiting([&] { object.array().close(); }); })
      .def("path", [](const DiskArrayObject& object) { return object.array().path(); })
      .def("name", [](const DiskArrayObject& object) { return object.array().name(); })
      .def(
          "dtype",
          [](const DiskArrayObject& object) {
            return nb::borrow(numpy().dtype(object.array().type()));
          },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "Element type.")
      .def("shape", [](const DiskArrayObject& object) { return tuple_of(object.array().shape()); })
      .def("tile", [](const DiskArrayObject& object) { return tuple_of(object.array().tile()); })
      .def("generation", [](const DiskArrayObject& object) { return object.array().generation(); });
  m.def(
      "remove_disk_array",
      [](const std::string& path) { waiting([&] { DiskArray::remove(path); }); }, nb::arg("path"));
}

}  // namespace lagoon::atoll::python
