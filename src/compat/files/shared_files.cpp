#include "compat/files/shared_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>

#include "atoll/error.hpp"
#include "compat/files/arguments.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/shared_world.hpp"

namespace lagoon::atoll::files {

namespace {

constexpr int first_handle = -3000;

/// The sizes that programs name stay unused: GA does not hold them to their guesses (measured), and
/// taking all the space at the start would fail those that guess high.
SharedFileOptions options() { return {.keep = true, .opening = FileOpening::open_or_create}; }

Group group_in_use() {
  if (ga::Runtime::running()) return ga::Runtime::get().groups.default_group();
  return World::current();
}

}  // namespace

SharedFiles& SharedFiles::get() {
  static SharedFiles& instance = *new SharedFiles;  // its files cannot close once MPI has ended
  return instance;
}

std::unique_ptr<SharedFiles::Entry> SharedFiles::make(const std::string& name, int ending) {
  const bool claims_world = !ga::Runtime::running();
  if (claims_world) compat::claim_world();
  try {
    const Group group = group_in_use();
    group.broadcast(std::span<int>(&ending, 1), 0);
    return std::make_unique<Entry>(
        group, SharedFile(group, name + "." + std::to_string(ending), options()), claims_world);
  } catch (...) {
    // Here, not by a destructor: a World that an exception leaves ends the run.
    if (claims_world) compat::release_world();
    throw;
  }
}

int SharedFiles::create(const std::string& name, std::optional<int> suffix) {
  const auto slot = std::find(files_.begin(), files_.end(), nullptr) - files_.begin();
  auto entry = make(name, suffix.value_or(static_cast<int>(slot)));
  if (slot == std::ssize(files_)) files_.emplace_back();
  files_[static_cast<std::size_t>(slot)] = std::move(entry);
  return first_handle + static_cast<int>(slot);
}

SharedFiles::Entry& SharedFiles::at(int handle) {
  const std::int64_t slot = std::int64_t{handle} - first_handle;
  if (slot < 0 || slot >= std::ssize(files_) || files_[static_cast<std::size_t>(slot)] == nullptr)
    throw Failure(invalid_descriptor, "handle " + std::to_string(handle));
  return *files_[static_cast<std::size_t>(slot)];
}

SharedFile& SharedFiles::open_file(int handle) {
  Entry& entry = at(handle);
  if (!entry.open)
    throw Failure(invalid_descriptor, "handle " + std::to_string(handle) + " is closed");
  return entry.file;
}

int SharedFiles::destroy(int handle) {
  (void)at(handle);
  const auto entry =
      std::move(files_[static_cast<std::size_t>(std::int64_t{handle} - first_handle)]);
  int code = requests.wait_all_of(handle);
  if (!World::running()) throw Failure(delete_failed, "GA has been terminated before");
  const std::string path = entry->file.path();
  entry->file.close();
  if (entry->group.rank() == 0 && ::unlink(path.c_str()) != 0 && errno != ENOENT)
    code = code_of(Error::of_file(errno, "remove '" + path + "'"), delete_failed);
  entry->group.barrier();
  if (entry->claims_world) compat::release_world();
  return code;
}

Request SharedFiles::begin_write(int handle, double offset, double bytes, const void* address) {
  SharedFile& file = open_file(handle);
  const std::int64_t at = whole("offset", offset), size = whole("bytes", bytes);
  return {file.write_async(at, memory(address, static_cast<std::size_t>(size))), size, handle,
          write_failed};
}

Request SharedFiles::begin_read(int handle, double offset, double bytes, void* address) {
  SharedFile& file = open_file(handle);
  const std::int64_t at = whole("offset", offset), size = whole("bytes", bytes);
  return {file.read_async(at, memory(address, static_cast<std::size_t>(size))), size, handle,
          read_failed};
}

}  // namespace lagoon::atoll::files
