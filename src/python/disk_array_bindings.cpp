// Disk arrays and checkpoints for Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "array_object.hpp"
#include "atoll/checkpoint.hpp"
#include "atoll/disk_array.hpp"
#include "bindings.hpp"
#include "disk/crc32c.hpp"
#include "entry.hpp"
#include "numpy.hpp"
#include "section.hpp"

namespace lagoon::atoll::python {

namespace {

Index index_of(const std::vector<std::int64_t>& values) {
  return Index(std::span<const std::int64_t>(values));
}

Patch patch_or_whole(nb::handle key, const Index& shape) {
  return key.is_none() ? whole(shape) : parse_patch(key, shape);
}

/// What may hold the last reference to an array, and so frees it.
template <class T>
class Held {
 public:
  explicit Held(T value) : value_(std::move(value)) {}
  Held(Held&&) noexcept = default;
  Held& operator=(Held&&) = delete;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    const Entry entry(Entry::Waits::no);
    const T gone(std::move(value_));
  }
  T& operator*() noexcept { return value_; }
  const T& operator*() const noexcept { return value_; }

 private:
  T value_;
};

class DiskRequestObject {
 public:
  explicit DiskRequestObject(DiskRequest request) : request_(std::move(request)) {}
  void wait() {
    waiting([&] { (*request_).wait(); });
  }
  bool test() {
    return waiting([&] { return (*request_).test(); });
  }
  double fraction() const {
    const Entry entry(Entry::Waits::no);
    return (*request_).fraction();
  }

 private:
  Held<DiskRequest> request_;
};

class CheckpointRequestObject {
 public:
  explicit CheckpointRequestObject(CheckpointRequest request) : request_(std::move(request)) {}
  void wait() {
    waiting([&] { (*request_).wait(); });
  }
  bool test() {
    return waiting([&] { return (*request_).test(); });
  }
  std::int64_t step() const { return (*request_).step(); }

 private:
  Held<CheckpointRequest> request_;
};

// Bindings are captured by name below: Clang 14 does not capture them otherwise.
class DiskArrayObject {
 public:
  explicit DiskArrayObject(DiskArray array) : array_(std::move(array)) {}

  void write(const ArrayObject& source, nb::handle at, nb::handle source_key, bool transpose) {
    const auto [from, patch] = patches(source, at, source_key);
    waiting([&, &from = from, &patch = patch] {
      array().write(source.get(), from, patch, form(transpose));
    });
  }
  void read(const ArrayObject& target, nb::handle at, nb::handle target_key, bool transpose) {
    const auto [to, patch] = patches(target, at, target_key);
    waiting(
        [&, &to = to, &patch = patch] { array().read(target.get(), to, patch, form(transpose)); });
  }
  DiskRequestObject write_async(const ArrayObject& source, nb::handle at, nb::handle source_key,
                                bool transpose) {
    const auto [from, patch] = patches(source, at, source_key);
    return DiskRequestObject(waiting([&, &from = from, &patch = patch] {
      return array().write_async(source.get(), from, patch, form(transpose));
    }));
  }
  DiskRequestObject read_async(const ArrayObject& target, nb::handle at, nb::handle target_key,
                               bool transpose) {
    const auto [to, patch] = patches(target, at, target_key);
    return DiskRequestObject(waiting([&, &to = to, &patch = patch] {
      return array().read_async(target.get(), to, patch, form(transpose));
    }));
  }
  DiskArray& array() noexcept { return *array_; }
  const DiskArray& array() const noexcept { return *array_; }

 private:
  static Transpose form(bool transpose) { return transpose ? Transpose::yes : Transpose::no; }
  std::pair<Patch, Patch> patches(const ArrayObject& other, nb::handle at, nb::handle key) const {
    return {patch_or_whole(key, other.get().shape()), patch_or_whole(at, array().shape())};
  }
  Held<DiskArray> array_;
};

void bind_checkpoints(nb::module_& m) {
  nb::class_<CheckpointRequestObject>(m, "CheckpointRequest",
                                      "A checkpoint on its way; see `atoll.checkpoint`.")
      .def("wait", &CheckpointRequestObject::wait,
           "Wait until it is on the device, and remove older ones. Collective.")
      .def("test", &CheckpointRequestObject::test,
           "Whether this rank's part has been written. Not collective; never waits.")
      .def_prop_ro("step", &CheckpointRequestObject::step, "Its number.");
  m.def(
      "crc32c",
      [](const nb::bytes& data) {
        return detail::crc32c({static_cast<const std::byte*>(data.data()), data.size()});
      },
      nb::arg("data"));
  nb::class_<Checkpoint>(m, "CheckpointBase")
      .def_static(
          "open",
          [](const Group& group, const std::string& folder, std::int64_t step) {
            return waiting([&] { return Checkpoint::open(group, folder, step); });
          },
          nb::arg("group"), nb::arg("folder"), nb::arg("step"))
      .def("step", &Checkpoint::step)
      .def("state",
           [](const Checkpoint& checkpoint) {
             const std::string& state = checkpoint.state();
             return nb::bytes(state.data(), state.size());
           })
      .def("names", &Checkpoint::names)
      .def(
          "open_array",
          [](const Checkpoint& checkpoint, const std::string& name) {
            return DiskArrayObject(waiting([&] { return checkpoint.open_array(name); }));
          },
          nb::arg("name"))
      .def("path_of", &Checkpoint::path_of, nb::arg("name"))
      .def("mirrored", &Checkpoint::mirrored, nb::arg("name"));
  m.def(
      "save_checkpoint",
      [](const Group& group, const std::string& folder, const nb::dict& arrays,
         const nb::bytes& state, std::int64_t step, std::int64_t keep, bool snapshot) {
        std::vector<NamedArray> named;
        for (const auto& [name, array] : arrays)
          named.push_back({nb::cast<std::string>(name), &array_object(array).get()});
        const std::string bytes(state.c_str(), state.size());
        return CheckpointRequestObject(waiting([&] {
          return save_checkpoint_async(group, folder, named, bytes, {step, keep, snapshot});
        }));
      },
      nb::arg("group"), nb::arg("folder"), nb::arg("arrays"), nb::arg("state"), nb::arg("step"),
      nb::arg("keep"), nb::arg("snapshot"));
  m.def("checkpoint_steps", &checkpoint_steps, nb::arg("folder"));
}

}  // namespace

void bind_disk_array(nb::module_& m) {
  nb::enum_<Durability>(m, "Durability")
      .value("scratch", Durability::scratch)
      .value("checkpoint", Durability::checkpoint)
      .value("in_place", Durability::in_place);
  nb::class_<DiskRequestObject>(m, "DiskRequest",
                                "A read or write of a disk array that is on its way.")
      .def("wait", &DiskRequestObject::wait,
           "End it. Collective; OSError on all ranks if the system refused one.")
      .def("test", &DiskRequestObject::test,
           "Whether this rank's part has been moved. Not collective; never waits.")
      .def_prop_ro("fraction", &DiskRequestObject::fraction,
                   "How much of this rank's part has been moved, 0 to 1.");
  nb::class_<DiskArrayObject>(m, "DiskArrayBase")
      .def_static(
          "create",
          [](const Group& group, const std::string& path, const std::vector<std::int64_t>& shape,
             nb::handle dtype, const std::vector<std::int64_t>& request,
             const std::vector<std::int64_t>& tile, Durability durability, bool sparse,
             const std::string& name) {
            const ElementType type = element_type_from(dtype);
            const DiskArrayOptions options{index_of(request), index_of(tile), durability, sparse,
                                           name};
            const Index extents = index_of(shape);
            return DiskArrayObject(
                waiting([&] { return DiskArray::create(group, path, extents, type, options); }));
          },
          nb::arg("group"), nb::arg("path"), nb::arg("shape"), nb::arg("dtype"), nb::arg("request"),
          nb::arg("tile"), nb::arg("durability"), nb::arg("sparse"), nb::arg("name"))
      .def_static(
          "open",
          [](const Group& group, const std::string& path, bool writes, Durability durability) {
            return DiskArrayObject(
                waiting([&] { return DiskArray::open(group, path, writes, durability); }));
          },
          nb::arg("group"), nb::arg("path"), nb::arg("writes"), nb::arg("durability"))
      .def_static(
          "open_damaged",
          [](const Group& group, const std::string& path) {
            return DiskArrayObject(waiting([&] { return DiskArray::open_damaged(group, path); }));
          },
          nb::arg("group"), nb::arg("path"))
      .def("write", &DiskArrayObject::write, nb::arg("array"), nb::arg("at").none(),
           nb::arg("source").none(), nb::arg("transpose"))
      .def("read", &DiskArrayObject::read, nb::arg("array"), nb::arg("at").none(),
           nb::arg("target").none(), nb::arg("transpose"))
      .def("write_async", &DiskArrayObject::write_async, nb::arg("array"), nb::arg("at").none(),
           nb::arg("source").none(), nb::arg("transpose"))
      .def("read_async", &DiskArrayObject::read_async, nb::arg("array"), nb::arg("at").none(),
           nb::arg("target").none(), nb::arg("transpose"))
      .def(
          "extents",
          [](const DiskArrayObject& object, nb::handle at) {
            return tuple_of(patch_or_whole(at, object.array().shape()).shape());
          },
          nb::arg("at").none(), "The shape of a section.")
      .def("sync", [](DiskArrayObject& object) { waiting([&] { object.array().sync(); }); })
      .def("refresh", [](DiskArrayObject& object) { waiting([&] { object.array().refresh(); }); })
      .def("verify", [](DiskArrayObject& object) { waiting([&] { object.array().verify(); }); })
      .def("close", [](DiskArrayObject& object) { waiting([&] { object.array().close(); }); })
      .def(
          "abandon",
          [](DiskArrayObject& object) {
            const Entry entry(Entry::Waits::no);
            const DiskArray gone(std::move(object.array()));
          },
          "Let go of this rank's part, and of its lock. Not collective.")
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
  m.def(
      "repair_disk_array",
      [](const Group& group, const std::string& path) {
        waiting([&] { DiskArray::repair(group, path); });
      },
      nb::arg("group"), nb::arg("path"));
  m.def("disk_array_is_open_for_writing", &DiskArray::is_open_for_writing, nb::arg("path"));
  bind_checkpoints(m);
}

}  // namespace lagoon::atoll::python
