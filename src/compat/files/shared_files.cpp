#include "compat/files/shared_files.hpp"

#include <unistd.h>

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

std::unique_ptr<SharedFiles::Entry> SharedFiles::make(std::string name, int ending) {
  const bool claims_world = !ga::Runtime::running();
  if (claims_world) compat::claim_world();
  try {
    const Group group = group_in_use();
    group.broadcast(std::span<int>(&ending, 1), 0);
    group.broadcast(name, 0);
    return std::make_unique<Entry>(Entry{
        group, SharedFile(group, name + "." + std::to_string(ending), options()), claims_world});
  } catch (...) {
    // Here, not by a destructor: a World that an exception leaves ends the run.
    if (claims_world) compat::release_world();
    throw;
  }
}

int SharedFiles::create(const std::string& name, std::optional<int> suffix) {
  return files_.add(make(name, suffix.value_or(files_.next() - first_handle)));
}

SharedFiles::Entry& SharedFiles::at(int handle) {
  if (Entry* const found = files_.find(handle)) return *found;
  throw Failure(invalid_descriptor, "handle " + std::to_string(handle));
}

SharedFile& SharedFiles::open_file(int handle) {
  Entry& entry = at(handle);
  if (!entry.open)
    throw Failure(invalid_descriptor, "handle " + std::to_string(handle) + " is closed");
  return entry.file;
}

int SharedFiles::destroy(int handle) {
  (void)at(handle);
  const std::unique_ptr<Entry> entry = files_.take(handle);
  int code = requests.wait_all_of(handle);
  if (!World::running()) throw Failure(delete_failed, "GA has been terminated before");
  const std::string path = entry->file.path();
  try {
    entry->file.close();
  } catch (const Error& error) {
    // That there is no room for what was written, which goes now.
    if (error.kind() != ErrorKind::file) throw;
  }
  int error = 0;
  if (entry->group.rank() == 0 && ::unlink(path.c_str()) != 0 && errno != ENOENT) error = errno;
  entry->group.broadcast(std::span<int>(&error, 1), 0);
  if (error != 0) code = code_of(Error::of_file(error, "remove '" + path + "'"), delete_failed);
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
