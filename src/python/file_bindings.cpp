// Private and shared files for Python: bytes of any object that has a buffer.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "atoll/error.hpp"
#include "atoll/file_system.hpp"
#include "atoll/private_file.hpp"
#include "atoll/shared_file.hpp"
#include "bindings.hpp"
#include "entry.hpp"

namespace lagoon::atoll::python {

namespace {

/// The memory of a Python object, which it keeps alive.
class Buffer {
 public:
  Buffer(nb::handle object, bool to_write) {
    const int flags = to_write ? PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_C_CONTIGUOUS;
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) return;
    const nb::python_error error;  // Python's does not say whose buffer it wants
    PyErr_Format(error.type().ptr(), "%s is %R (%s): %S", to_write ? "out" : "data", object.ptr(),
                 nb::type_name(object.type()).c_str(), error.value().ptr());
    throw nb::python_error();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }
  std::span<std::byte> bytes() const noexcept {
    return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

/// A request and the memory that it uses.
class RequestObject {
 public:
  RequestObject(FileRequest request, std::unique_ptr<Buffer> buffer)
      : request_(std::move(request)), buffer_(std::move(buffer)) {}
  RequestObject(RequestObject&&) noexcept = default;
  RequestObject& operator=(RequestObject&&) = delete;
  ~RequestObject() {
    if (buffer_ == nullptr) return;
    try {
      waiting([&] { (void)request_.wait(); });
    } catch (const std::exception&) {  // nobody is left to tell
    }
  }
  std::int64_t wait() {
    const auto release = [&] { buffer_.reset(); };
    try {
      const std::int64_t bytes = waiting([&] { return request_.wait(); });
      release();
      return bytes;
    } catch (const Error&) {
      release();
      throw;
    }
  }
  bool test() const noexcept { return request_.test(); }

 private:
  FileRequest request_;
  std::unique_ptr<Buffer> buffer_;
};

template <class File>
class FileObject {
 public:
  explicit FileObject(File file) : file_(std::move(file)) {}

  void write(nb::handle data, std::int64_t offset) {
    const Buffer buffer(data, false);
    waiting([&] { file_.write(offset, buffer.bytes()); });
  }
  RequestObject write_async(nb::handle data, std::int64_t offset) {
    auto buffer = std::make_unique<Buffer>(data, false);
    FileRequest request = waiting([&] { return file_.write_async(offset, buffer->bytes()); });
    return {std::move(request), std::move(buffer)};
  }
  std::int64_t read(nb::handle out, std::int64_t offset) {
    const Buffer buffer(out, true);
    return waiting([&] {
      if constexpr (requires { file_.set_read_only(); }) {
        file_.read(offset, buffer.bytes());
        return std::ssize(buffer.bytes());
      } else {
        return file_.read(offset, buffer.bytes());
      }
    });
  }
  RequestObject read_async(nb::handle out, std::int64_t offset) {
    auto buffer = std::make_unique<Buffer>(out, true);
    FileRequest request = waiting([&] { return file_.read_async(offset, buffer->bytes()); });
    return {std::move(request), std::move(buffer)};
  }
  std::int64_t length() const {
    return waiting([&] { return file_.length(); });
  }
  void sync() {
    waiting([&] { file_.sync(); });
  }
  void close() {
    waiting([&] { file_.close(); });
  }
  nb::dict statistics() const {
    const FileStatistics& counts = file_.statistics();
    nb::dict result;
    result["reads"] = counts.reads;
    result["writes"] = counts.writes;
    result["bytes_read"] = counts.bytes_read;
    result["bytes_written"] = counts.bytes_written;
    result["seconds_waited"] = counts.seconds_waited;
    return result;
  }
  File& file() noexcept { return file_; }

 private:
  File file_;
};

using PrivateObject = FileObject<PrivateFile>;
using SharedObject = FileObject<SharedFile>;

template <class File>
nb::class_<FileObject<File>> bind_file(nb::module_& m, const char* name) {
  using Object = FileObject<File>;
  return nb::class_<Object>(m, name)
      .def("write", &Object::write, nb::arg("data").none(), nb::arg("offset"))
      .def("write_async", &Object::write_async, nb::arg("data").none(), nb::arg("offset"))
      .def("read", &Object::read, nb::arg("out").none(), nb::arg("offset"))
      .def("read_async", &Object::read_async, nb::arg("out").none(), nb::arg("offset"))
      .def("length", &Object::length)
      .def("sync", &Object::sync)
      .def("close", &Object::close)
      .def("statistics", &Object::statistics);
}

}  // namespace

void bind_files(nb::module_& m) {
  nb::enum_<FileOpening>(m, "FileOpening")
      .value("create", FileOpening::create)
      .value("existing", FileOpening::existing)
      .value("read_only", FileOpening::read_only)
      .value("open_or_create", FileOpening::open_or_create);
  nb::class_<RequestObject>(m, "FileRequest", R"(A read or write of a file on its way.

It keeps the memory alive; leave that alone before `wait` has returned. One that is dropped waits.)")
      .def("wait", &RequestObject::wait,
           "Waits; how many bytes were moved. OSError if the system refused. Not collective.")
      .def("test", &RequestObject::test,
           "Whether it is done, or has failed (`wait` says how). Never waits. Not collective.");
  bind_file<PrivateFile>(m, "PrivateFileBase")
      .def_static(
          "open",
          [](std::vector<std::string> directories, std::int64_t stripe, std::string name,
             FileOpening opening) {
            const PrivateFileOptions options{std::move(directories), stripe, std::move(name),
                                             opening};
            return PrivateObject(waiting([&] { return PrivateFile(options); }));
          },
          nb::arg("directories"), nb::arg("stripe"), nb::arg("name"), nb::arg("opening"))
      .def(
          "resize",
          [](PrivateObject& object, std::int64_t length) {
            waiting([&] { object.file().resize(length); });
          },
          nb::arg("length"))
      .def("remove", [](PrivateObject& object) { waiting([&] { object.file().remove(); }); })
      .def("describe", [](PrivateObject& object) { return object.file().describe(); });
  bind_file<SharedFile>(m, "SharedFileBase")
      .def_static(
          "open",
          [](const Group& group, const std::string& path, std::int64_t hard_limit,
             std::int64_t soft_limit, std::int64_t request_size, bool read_ahead, bool write_behind,
             bool keep, FileOpening opening) {
            const SharedFileOptions options{hard_limit,   soft_limit, request_size, read_ahead,
                                            write_behind, keep,       opening};
            return SharedObject(waiting([&] { return SharedFile(group, path, options); }));
          },
          nb::arg("group"), nb::arg("path"), nb::arg("hard_limit"), nb::arg("soft_limit"),
          nb::arg("request_size"), nb::arg("read_ahead"), nb::arg("write_behind"), nb::arg("keep"),
          nb::arg("opening"))
      .def("path", [](SharedObject& object) { return object.file().path(); });
  m.def(
      "file_system",
      [](const std::string& path) {
        const FileSystem found = file_system(path);
        return nb::make_tuple(found.type, found.available, found.total, found.in_memory,
                              found.shared);
      },
      nb::arg("path"), nb::sig("def file_system(path: str) -> tuple[str, int, int, bool, bool]"));
}

}  // namespace lagoon::atoll::python
