// Renaming by renameat2, or by twice rename.
#include "disk/names.hpp"

#include <fcntl.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): renameat2 is declared here
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "atoll/error.hpp"
#include "disk/file_fault.hpp"
#include "disk/file_system_kind.hpp"

namespace lagoon::atoll::detail {

namespace {

namespace fs = std::filesystem;

/// 0, or an errno.
int rename_to(const std::string& from, const std::string& to, unsigned flags) {
  if (const FileFault fault = fault_of(FileCall::rename); fault.error != 0) return fault.error;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) != 0) return errno;
  tell(FileCall::rename, to);
  return 0;
}

bool cannot_exchange(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

}  // namespace

void put_in_place(const std::string& before, const std::string& path) {
  const std::string old = name_of_old(before);
  bool exchanged = true;
  int error = rename_to(before, path, RENAME_EXCHANGE);
  if (error == ENOENT) {
    exchanged = false;
    error = rename_to(before, path, 0);
  } else if (cannot_exchange(error)) {
    remove_tree(old);
    error = rename_to(path, old, 0);
    exchanged = error == 0;
    if (error == 0 || error == ENOENT) error = rename_to(before, path, 0);
    if (error != 0 && exchanged) (void)rename_to(old, path, 0);
    if (error == 0 && exchanged) error = rename_to(old, before, 0);
  }
  if (error != 0) throw Error::of_file(error, "rename '" + before + "' to '" + path + "'");
  try {
    sync_name(path);
  } catch (const Error&) {
    // Nobody knows whether the new name would last: back to what was there.
    if (exchanged) (void)rename_to(before, old, 0);
    (void)rename_to(path, before, 0);
    if (exchanged) (void)rename_to(old, path, 0);
    throw;
  }
}

void recover_name(const std::string& before, const std::string& path) {
  std::error_code error;
  const auto is_there = [&](const std::string& name) {
    return fs::symlink_status(name, error).type() != fs::file_type::not_found;
  };
  const std::string old = name_of_old(before);
  if (is_there(old) && !is_there(path)) move_name(old, path);
}

std::string name_of_old(const std::string& before) { return before + std::string(old_suffix); }

void sync_name(const std::string& path) {
  try {
    OpenFile::sync_folder(parent_of(path));
  } catch (const Error& error) {
    // Whoever may write in a folder need not be allowed to read it: then by way of its file system.
    if (error.error_number() != EACCES) throw;
    const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) throw;
    const int status = ::syncfs(opened);
    const int failed = errno;
    ::close(opened);
    if (status != 0) throw Error::of_file(failed, "bring '" + path + "' to its device");
    tell(FileCall::sync, parent_of(path));
  }
}

bool is_on_local_disk(const std::string& path) noexcept {
  struct statfs status{};
  if (::statfs(path.c_str(), &status) != 0) return false;
  return kind_of(static_cast<std::uint32_t>(status.f_type)).of_this_host;
}

void move_name(const std::string& from, const std::string& to) {
  if (const int error = rename_to(from, to, 0); error != 0)
    throw Error::of_file(error, "rename '" + from + "' to '" + to + "'");
}

void remove_tree(const std::string& path) {
  std::error_code error;
  if (const FileFault fault = fault_of(FileCall::remove); fault.error != 0)
    error.assign(fault.error, std::generic_category());
  else
    fs::remove_all(path, error);
  if (error) throw Error::of_file(error.value(), "remove '" + path + "'");
}

FileIdentity identity_of(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) throw Error::of_file(errno, "find '" + path + "'");
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

std::string parent_of(const std::string& path) {
  const fs::path parent = fs::path(without_slashes(path)).parent_path();
  return parent.empty() ? "." : parent.string();
}

std::string without_slashes(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

}  // namespace lagoon::atoll::detail
