// Folders by descriptors that can do nothing but find what is in them.
#include "disk/open_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "atoll/error.hpp"
#include "disk/file_fault.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

/// A descriptor, or -1 with errno.
int open_at(int folder, const std::string& name, int more) {
  for (;;) {
    const FileFault fault = fault_of(FileCall::open);
    errno = fault.error;
    const int opened = fault.error != 0 ? -1 : ::openat(folder, name.c_str(), flags | more);
    if (opened >= 0 || errno != EINTR) return opened;
  }
}

FileIdentity identity_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

}  // namespace

OpenFolder::OpenFolder(const std::string& path) : OpenFolder(open_at(AT_FDCWD, path, 0), path) {
  if (descriptor_ < 0) throw Error::of_file(errno, "open '" + path + "'");
}

OpenFolder::OpenFolder(OpenFolder&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

OpenFolder::~OpenFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

OpenFolder OpenFolder::folder(const std::string& name) const {
  std::string path = path_ + "/" + name;
  const int opened = open_at(descriptor_, name, O_NOFOLLOW);
  if (opened >= 0) return {opened, std::move(path)};
  const int error = errno;
  struct stat status{};
  if (error == ENOTDIR && fstatat(descriptor_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(status.st_mode))
    throw Error::of_file(ELOOP, "open '" + path + "', a symbolic link");
  throw Error::of_file(error, "open '" + path + "'");
}

std::shared_ptr<OpenFile> OpenFolder::file(const std::string& name, const OpenMode& mode) const {
  return std::make_shared<OpenFile>(descriptor_, name, path_ + "/" + name, mode);
}

FileIdentity OpenFolder::identity() const {
  struct stat status{};
  if (fstat(descriptor_, &status) != 0) throw Error::of_file(errno, "find '" + path_ + "'");
  return identity_of(status);
}

bool OpenFolder::has_lost_its_name() const noexcept {
  struct stat mine{}, now{};
  return fstat(descriptor_, &mine) == 0 &&
         (::stat(path_.c_str(), &now) != 0 || !(identity_of(mine) == identity_of(now)));
}

OpenFolder open_named(const std::string& name, const std::string& other) {
  // It may get its name back after the first look and before the second: then it has it at the
  // third. Whoever takes it away again writes an array before, which takes longer than a look.
  for (const std::string& path : {name, other, name}) {
    try {
      return OpenFolder(path);
    } catch (const Error& error) {
      if (error.error_number() != ENOENT) throw;
    }
  }
  throw Error::of_file(ENOENT, "open '" + name + "'");
}

}  // namespace lagoon::atoll::detail
