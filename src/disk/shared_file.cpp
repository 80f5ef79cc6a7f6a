// SharedFile: opening one file on all ranks, limits and hints.
#include "atoll/shared_file.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "atoll/error.hpp"
#include "disk/common_file.hpp"
#include "disk/device.hpp"
#include "disk/file_arguments.hpp"
#include "disk/open_file.hpp"
#include "disk/stopwatch.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"
#include "world/topology.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll {

using detail::OpenFile, detail::Stopwatch;

namespace {

void check_options(const std::string& path, const SharedFileOptions& options) {
  const auto not_negative = [](const char* name, std::int64_t value) {
    if (value < 0)
      throw Error(ErrorKind::value, std::string("options.") + name + " is " +
                                        std::to_string(value) + ", expected bytes, or 0");
  };
  not_negative("hard_limit", options.hard_limit);
  not_negative("soft_limit", options.soft_limit);
  not_negative("request_size", options.request_size);
  if (options.hard_limit > 0 && options.soft_limit > options.hard_limit)
    throw Error(ErrorKind::value, "options.soft_limit is " + std::to_string(options.soft_limit) +
                                      ", above the hard limit of " +
                                      std::to_string(options.hard_limit));
  if (options.opening != FileOpening::create && !options.keep)
    throw Error(ErrorKind::value,
                "'" + path + "' may have been there before: say options.keep = true");
  if (path.find('\0') != std::string::npos)
    throw Error(ErrorKind::value, "path holds a zero character");
}

std::uint64_t hash_of(const std::string& path, const SharedFileOptions& options) {
  std::uint64_t hash = path.size();
  for (const char c : path) hash = detail::mix(hash, static_cast<unsigned char>(c));
  for (const std::int64_t value :
       {options.hard_limit, options.soft_limit, options.request_size,
        std::int64_t{options.read_ahead}, std::int64_t{options.write_behind},
        std::int64_t{options.keep}, static_cast<std::int64_t>(options.opening)})
    hash = detail::mix(hash, static_cast<std::uint64_t>(value));
  return hash;
}

}  // namespace

struct SharedFile::State {
  State(const Group& members, const SharedFileOptions& wanted) : group(members), options(wanted) {}

  void open(const std::string& path);
  std::shared_ptr<OpenFile> make(const std::string& wanted) const;
  /// Of a request that is done or on its way.
  void hint_read(std::int64_t offset, std::int64_t bytes);
  void hint_write(std::int64_t offset, std::int64_t bytes);
  void check_write(std::int64_t offset, std::size_t bytes) const;
  void check_read(std::int64_t offset, std::size_t bytes);

  Group group;
  SharedFileOptions options;
  std::shared_ptr<OpenFile> file;
  std::string name;
  bool has_name = true;  // false: removed at once, only open files are left
  bool read_only = false;
  std::int64_t known_length = 0;  // it never gets shorter
  std::int64_t last_read = -1, last_stride = 0;
  std::int64_t last_write = 0, last_bytes = 0;
};

std::shared_ptr<OpenFile> SharedFile::State::make(const std::string& wanted) const {
  const std::string path = wanted.empty() ? group.state()->world().config.scratch.front() + "/" +
                                                detail::random_file_name()
                                          : wanted;
  auto made = std::make_shared<OpenFile>(path, detail::mode_of(options.opening));
  if (options.soft_limit == 0 || read_only) return made;
  try {
    made->reserve(0, options.soft_limit);
  } catch (const Error&) {
    if (options.opening == FileOpening::create) detail::remove_file(path);
    throw;
  }
  return made;
}

void SharedFile::State::open(const std::string& path) {
  read_only = options.opening == FileOpening::read_only;
  const bool first = group.rank() == 0;
  std::shared_ptr<OpenFile> made;
  try {
    file = detail::open_together(
        group, group, "open shared file", hash_of(path, options),
        [&] {
          check_options(path, options);
          if (first) made = make(path);
          return made;
        },
        !read_only);
    name = file->path();
    has_name = options.keep || !group.state()->world().topology.one_host;
    // What the system refuses one rank here, too, is told to all.
    detail::enter_collective(group, "open shared file", 0, [&] {
      known_length = file->length();
      if (first && !has_name) detail::remove_file(name);
    });
  } catch (const Error&) {
    // What this call has made goes again, if it can.
    if (made != nullptr && options.opening == FileOpening::create) {
      try {
        detail::remove_file(made->path());
      } catch (const Error&) {
      }
    }
    throw;
  }
}

void SharedFile::State::check_write(std::int64_t offset, std::size_t bytes) const {
  detail::check_file_range("write", offset, bytes);
  if (read_only) throw Error(ErrorKind::state, "'" + name + "' is read-only").during("write");
  const auto end = static_cast<std::uint64_t>(offset) + bytes;
  if (options.hard_limit > 0 && end > static_cast<std::uint64_t>(options.hard_limit))
    throw Error::of_file(EFBIG, "exceed the hard limit of " + std::to_string(options.hard_limit) +
                                    " bytes: " + file->describe("write", offset, bytes))
        .during("write");
}

void SharedFile::State::check_read(std::int64_t offset, std::size_t bytes) {
  detail::check_file_range("read", offset, bytes);
  const std::int64_t end = offset + static_cast<std::int64_t>(bytes);
  if (end > known_length) known_length = file->length();
  if (end > known_length)
    throw Error(ErrorKind::index, file->describe("read", offset, bytes) + ", which has " +
                                      std::to_string(known_length) + " bytes")
        .during("read");
}

void SharedFile::State::hint_read(std::int64_t offset, std::int64_t bytes) {
  if (!options.read_ahead) return;
  const std::int64_t stride = offset - last_read;
  if (last_read >= 0 && stride > 0 && stride == last_stride)
    file->expect_read(offset + stride, std::max(bytes, options.request_size));
  last_stride = stride;
  last_read = offset;
}

void SharedFile::State::hint_write(std::int64_t offset, std::int64_t bytes) {
  if (!options.write_behind) return;
  // The request before has got further than this one.
  if (last_bytes > 0) file->begin_sync(last_write, last_bytes);
  last_write = offset;
  last_bytes = bytes;
}

SharedFile::SharedFile(const Group& group, const std::string& path,
                       const SharedFileOptions& options)
    : state_(std::make_unique<State>(group, options)) {
  state_->open(path);
}
SharedFile::SharedFile(SharedFile&&) noexcept = default;
SharedFile& SharedFile::operator=(SharedFile&&) noexcept = default;
SharedFile::~SharedFile() = default;

SharedFile::State& SharedFile::state() const {
  if (state_ == nullptr) throw Error(ErrorKind::state, "the shared file is closed");
  return *state_;
}

void SharedFile::write(std::int64_t offset, std::span<const std::byte> data) {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  State& s = state();
  s.check_write(offset, data.size());
  s.file->write(offset, data.data(), data.size());
  s.hint_write(offset, std::ssize(data));
  ++statistics_.writes;
  statistics_.bytes_written += std::ssize(data);
}

void SharedFile::read(std::int64_t offset, std::span<std::byte> data) const {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  State& s = state();
  s.check_read(offset, data.size());
  const std::size_t got = s.file->read(offset, data.data(), data.size());
  if (got < data.size())
    throw Error::of_file(
        EIO, s.file->describe("read", offset, data.size()) + ", which somebody has cut short")
        .during("read");
  s.hint_read(offset, std::ssize(data));
  ++statistics_.reads;
  statistics_.bytes_read += std::ssize(data);
}

FileRequest SharedFile::write_async(std::int64_t offset, std::span<const std::byte> data) {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  State& s = state();
  s.check_write(offset, data.size());
  auto* const memory = const_cast<std::byte*>(data.data());  // nobody writes through it
  auto transfer = detail::Device::get().begin_piece(
      detail::Direction::write, detail::FilePiece{s.file, offset, memory, data.size()});
  s.hint_write(offset, std::ssize(data));
  ++statistics_.writes;
  statistics_.bytes_written += std::ssize(data);
  return {std::move(transfer), std::ssize(data)};
}

FileRequest SharedFile::read_async(std::int64_t offset, std::span<std::byte> data) const {
  const Stopwatch stopwatch(statistics_.seconds_waited);
  State& s = state();
  s.check_read(offset, data.size());
  auto transfer = detail::Device::get().begin_piece(
      detail::Direction::read, detail::FilePiece{s.file, offset, data.data(), data.size()},
      detail::BeyondEnd::error);
  s.hint_read(offset, std::ssize(data));
  ++statistics_.reads;
  statistics_.bytes_read += std::ssize(data);
  return {std::move(transfer), std::ssize(data)};
}

std::int64_t SharedFile::length() const { return state().file->length(); }

void SharedFile::sync() { state().file->sync(); }

void SharedFile::set_read_only() noexcept {
  if (state_ != nullptr) state_->read_only = true;
}

void SharedFile::close() {
  const std::unique_ptr<State> gone = std::move(state_);
  if (gone == nullptr) throw Error(ErrorKind::state, "the shared file is closed");
  const bool kept = gone->has_name && gone->options.keep;
  std::exception_ptr lost;
  try {
    detail::enter_collective(gone->group, "close shared file", 0, [&] {
      if (kept && !gone->read_only) gone->file->flush();
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::file) throw;
    lost = std::current_exception();
  }
  gone->file.reset();
  detail::enter_collective(gone->group, "close shared file", 1, [&] {
    if (gone->has_name && !kept && gone->group.rank() == 0) detail::remove_file(gone->name);
  });
  if (lost != nullptr) std::rethrow_exception(lost);
}

const std::string& SharedFile::path() const { return state().name; }

}  // namespace lagoon::atoll
