// File systems by their numbers.
#include "atoll/file_system.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <string_view>

#include "atoll/error.hpp"
#include "disk/device.hpp"

namespace lagoon::atoll {

namespace {

struct KnownType {
  std::uint32_t magic;
  std::string_view name;
  bool in_memory = false, shared = false;
};

// Those that linux/magic.h has no name for are told by their manuals.
constexpr KnownType known_types[] = {
    {.magic = EXT4_SUPER_MAGIC, .name = "ext4"},
    {.magic = 0x58465342, .name = "xfs"},
    {.magic = BTRFS_SUPER_MAGIC, .name = "btrfs"},
    {.magic = 0x2fc12fc1, .name = "zfs"},
    {.magic = F2FS_SUPER_MAGIC, .name = "f2fs"},
    {.magic = TMPFS_MAGIC, .name = "tmpfs", .in_memory = true},
    {.magic = RAMFS_MAGIC, .name = "ramfs", .in_memory = true},
    {.magic = OVERLAYFS_SUPER_MAGIC, .name = "overlayfs"},
    {.magic = NFS_SUPER_MAGIC, .name = "nfs", .shared = true},
    {.magic = 0x0bd00bd0, .name = "lustre", .shared = true},
    {.magic = 0x47504653, .name = "gpfs", .shared = true},
    {.magic = 0x19830326, .name = "beegfs", .shared = true},
    {.magic = CEPH_SUPER_MAGIC, .name = "ceph", .shared = true},
    {.magic = SMB2_SUPER_MAGIC, .name = "smb", .shared = true},
    {.magic = V9FS_MAGIC, .name = "9p", .shared = true},
    {.magic = 0x65735546, .name = "fuse"},
};

std::int64_t product(std::uint64_t blocks, std::uint64_t bytes) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(bytes == 0 ? 0 : std::min(blocks, most / bytes) * bytes);
}

}  // namespace

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
  FileSystem found{
      {}, product(status.f_bavail, block), product(status.f_blocks, block), false, false};
  const auto* const known = std::find_if(std::begin(known_types), std::end(known_types),
                                         [&](const KnownType& t) { return t.magic == magic; });
  if (known == std::end(known_types)) {
    char number[16];
    std::snprintf(number, sizeof number, "0x%08x", magic);
    found.type = number;
  } else {
    found.type = known->name;
    found.in_memory = known->in_memory;
    found.shared = known->shared;
  }
  return found;
}

std::string describe_disk() { return detail::Device::get().describe(); }

}  // namespace lagoon::atoll
