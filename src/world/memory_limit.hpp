// MemoryLimit: how much memory this process may have and who says so: the machine, a control group
// (of a container, or of Slurm's --mem), or a limit of the process (ulimit). What goes beyond is
// not refused by the system but killed at its first touch, so it must be known before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lagoon::atoll::detail {

struct MemoryLimit {
  std::uint64_t bytes = 0;
  std::string whose;  ///< for people: "physical memory"
};

/// The one of fewer bytes; the first of equal ones.
MemoryLimit least(const MemoryLimit& a, const MemoryLimit& b);

/// Of the control groups that this process is in, versions 1 and 2, and of all above them: what the
/// limit leaves beside what is in use now. Files that can be dropped from memory are not in use.
/// `root` is put in front of every path that is read.
std::vector<MemoryLimit> cgroup_limits(const std::string& root = "");

/// The least of the machine's memory and the control groups' limits.
MemoryLimit memory_limit();

/// The share of this process's address space (RLIMIT_AS) that a region may take: a half of what is
/// left, since libraries and the program need some, too. All there is without a limit.
MemoryLimit address_space_limit();

/// The size of a file (RLIMIT_FSIZE), which memory that processes share is to the system.
MemoryLimit file_size_limit();

/// Lets a write beyond RLIMIT_FSIZE fail with an error that can be told, where nobody has decided
/// otherwise: by default the signal SIGXFSZ ends the process without a word. Python does the same.
void refuse_large_files_by_error() noexcept;

}  // namespace lagoon::atoll::detail
