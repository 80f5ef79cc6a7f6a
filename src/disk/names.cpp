// Renaming by renameat2, or by twice rename.
#include "disk/names.hpp"

#include <fcntl.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): renameat2 is declared here

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "atoll/error.hpp"
#include "disk/file_fault.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

namespace {

namespace fs = std::filesystem;

/// 0, or an errno.
int rename_to(const std::string& from, const std::string& to, unsigned flags) {
  if (const FileFault fault = fault_of(FileCall::rename); fault.error != 0) return fault.error;
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

bool cannot_exchange(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

}  // namespace

void put_in_place(const std::string& before, const std::string& path) {
  int error = rename_to(before, path, RENAME_EXCHANGE);
  if (error == ENOENT) {
    error = rename_to(before, path, 0);
  } else if (cannot_exchange(error)) {
    const std::string old = before + "-old";
    remove_tree(old);
    error = rename_to(path, old, 0);
    if (error == 0) error = rename_to(before, path, 0);
    if (error == 0) error = rename_to(old, before, 0);
  }
  if (error != 0) throw Error::of_file(error, "rename '" + before + "' to '" + path + "'");
  OpenFile::sync_folder(parent_of(path));
}

void remove_tree(const std::string& path) {
  std::error_code error;
  if (const FileFault fault = fault_of(FileCall::remove); fault.error != 0)
    error.assign(fault.error, std::generic_category());
  else
    fs::remove_all(path, error);
  if (error) throw Error::of_file(error.value(), "remove '" + path + "'");
}

std::string parent_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace lagoon::atoll::detail
