// File systems by their numbers.
#include "atoll/file_system.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <string>

#include "atoll/error.hpp"
#include "disk/device.hpp"
#include "disk/file_system_kind.hpp"

namespace lagoon::atoll {

namespace {

// Those that linux/magic.h has no name for are told by their manuals.
constexpr detail::FileSystemKind known_kinds[] = {
    {.magic = EXT4_SUPER_MAGIC, .name = "ext4", .of_this_host = true},
    {.magic = XFS_SUPER_MAGIC, .name = "xfs", .of_this_host = true},
    {.magic = BTRFS_SUPER_MAGIC, .name = "btrfs", .of_this_host = true},
    {.magic = 0x2fc12fc1, .name = "zfs", .of_this_host = true},
    {.magic = F2FS_SUPER_MAGIC, .name = "f2fs", .of_this_host = true},
    {.magic = TMPFS_MAGIC, .name = "tmpfs", .in_memory = true, .of_this_host = true},
    {.magic = RAMFS_MAGIC, .name = "ramfs", .in_memory = true, .of_this_host = true},
    {.magic = OVERLAYFS_SUPER_MAGIC, .name = "overlayfs", .of_this_host = true},
    {.magic = NFS_SUPER_MAGIC, .name = "nfs", .shared = true, .cached_apart = true},
    {.magic = 0x0bd00bd0, .name = "lustre", .shared = true},
    {.magic = 0x47504653, .name = "gpfs", .shared = true},
    {.magic = 0x19830326, .name = "beegfs", .shared = true},
    {.magic = CEPH_SUPER_MAGIC, .name = "ceph", .shared = true},
    {.magic = SMB2_SUPER_MAGIC, .name = "smb", .shared = true},
    {.magic = V9FS_MAGIC, .name = "9p", .shared = true},
    {.magic = FUSE_SUPER_MAGIC, .name = "fuse", .cached_apart = true},
};

std::int64_t product(std::uint64_t blocks, std::uint64_t bytes) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(bytes == 0 ? 0 : std::min(blocks, most / bytes) * bytes);
}

}  // namespace

detail::FileSystemKind detail::kind_of(std::uint32_t magic) noexcept {
  for (const FileSystemKind& kind : known_kinds)
    if (kind.magic == magic) return kind;
  return {.magic = magic};
}

detail::FileSystemKind detail::kind_of_file(int descriptor) noexcept {
  struct statfs status{};
  if (fstatfs(descriptor, &status) != 0) return {};
  return kind_of(static_cast<std::uint32_t>(status.f_type));
}

FileSystem file_system(const std::string& path) {
  struct statfs status{};
  int result = 0;
  do {
    result = statfs(path.c_str(), &status);
  } while (result != 0 && errno == EINTR);
  if (result != 0)
    throw Error::of_file(errno, "ask for the file system of '" + path + "'").during("file_system");
  const auto magic = static_cast<std::uint32_t>(status.f_type);
  const auto block =
      static_cast<std::uint64_t>(status.f_frsize > 0 ? status.f_frsize : status.f_bsize);
  const detail::FileSystemKind kind = detail::kind_of(magic);
  FileSystem found{std::string(kind.name), product(status.f_bavail, block),
                   product(status.f_blocks, block), kind.in_memory, kind.shared};
  if (kind.name.empty()) {
    char number[16];
    std::snprintf(number, sizeof number, "0x%08x", magic);
    found.type = number;
  }
  return found;
}

std::string describe_disk() { return detail::Device::get().describe(); }

}  // namespace lagoon::atoll
