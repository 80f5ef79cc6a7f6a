// MemoryLimit: reading /proc, the control groups' files, and the process's own limits.
#include "world/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include "world/page.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

bool contains(std::string_view list, std::string_view item) {
  std::istringstream items{std::string(list)};
  for (std::string each; std::getline(items, each, ',');)
    if (each == item) return true;
  return false;
}

/// The number in a file; none where there is no file, or a word like "max".
std::optional<std::uint64_t> number_in(const std::string& file) {
  std::string text;
  std::uint64_t number = 0;
  if (!(std::ifstream(file) >> text)) return {};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// What the two versions of control groups call things.
struct Version {
  std::string_view file_system;
  std::array<std::string_view, 2> limits;  // empty: none
  std::string_view in_use;
  std::array<std::string_view, 2> droppable;  // in memory.stat
};
constexpr Version versions[] = {
    {"cgroup",
     {"memory.limit_in_bytes"},
     "memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"}},
    {"cgroup2", {"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file"}},
};

/// Where the files of a hierarchy lie: `root` of it is mounted at `point`.
struct Mount {
  std::string root, point;
};

/// mountinfo writes blanks and the like as \040.
std::string plain(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      result += static_cast<char>(code);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::optional<Mount> mount_of(const Version& version, const std::string& root) {
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string skipped, kind, source, options;
    Mount mount;
    words >> skipped >> skipped >> skipped >> mount.root >> mount.point;
    while (words >> skipped && skipped != "-") {
    }
    words >> kind >> source >> options;
    if (kind != version.file_system) continue;
    if (kind == "cgroup" && !contains(options, "memory")) continue;
    return Mount{plain(mount.root), plain(mount.point)};
  }
  return {};
}

/// The path of this process's group in the hierarchy: "4:memory:/a/b", "0::/a/b".
std::string group_in(const Version& version, const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version.file_system == "cgroup2" ? controllers.empty() : contains(controllers, "memory"))
      return line.substr(second + 1);
  }
  return "/";
}

/// The part of a group's path below what is mounted; nothing where it lies elsewhere (another
/// namespace), so that only the mounted one is seen.
std::string below(const std::string& root, const std::string& group) {
  if (group.find("/..") != group.npos) return "";
  if (root == "/") return group == "/" ? "" : group;
  return group.starts_with(root + "/") ? group.substr(root.size()) : "";
}

std::uint64_t in_use(const Version& version, const std::string& folder) {
  std::uint64_t used = number_in(folder + std::string(version.in_use)).value_or(0);
  std::ifstream file(folder + "memory.stat");
  std::string name;
  for (std::uint64_t bytes = 0; file >> name >> bytes;)
    if (std::ranges::find(version.droppable, name) != version.droppable.end())
      used -= std::min(used, bytes);
  return used;
}

void add_limits(const Version& version, const std::string& root, const std::string& folder,
                std::vector<MemoryLimit>& found) {
  for (const std::string_view name : version.limits) {
    if (name.empty()) continue;
    const std::string file = folder + "/" + std::string(name);
    const auto limit = number_in(root + file);
    if (!limit || *limit > no_limit / 4) continue;  // version 1 has a large number for none
    const std::uint64_t used = in_use(version, root + folder + "/");
    found.push_back({*limit - std::min(*limit, used),
                     "the control group's limit of " + mebibytes(*limit) + " (" + file + "), " +
                         mebibytes(used) + " of it in use at the start"});
  }
}

std::uint64_t limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return limit.rlim_cur;
}

}  // namespace

MemoryLimit least(const MemoryLimit& a, const MemoryLimit& b) { return b.bytes < a.bytes ? b : a; }

std::vector<MemoryLimit> cgroup_limits(const std::string& root) {
  std::vector<MemoryLimit> found;
  for (const Version& version : versions) {
    const auto mount = mount_of(version, root);
    if (!mount) continue;
    std::string path = below(mount->root, group_in(version, root));
    for (;;) {
      add_limits(version, root, mount->point + path, found);
      if (path.empty()) break;
      path.erase(path.rfind('/'));
    }
  }
  return found;
}

MemoryLimit memory_limit() {
  MemoryLimit result{static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
                     "physical memory"};
  for (const MemoryLimit& limit : cgroup_limits()) result = least(result, limit);
  return result;
}

MemoryLimit address_space_limit() {
  const std::uint64_t limit = limit_of(RLIMIT_AS);
  if (limit == no_limit) return {no_limit, ""};
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {(limit - std::min(limit, used)) / 2 / page * page,
          "half of what RLIMIT_AS (ulimit -v) of " + mebibytes(limit) +
              " leaves of a process (ATOLL_MEMORY gives arrays another share)"};
}

MemoryLimit file_size_limit() {
  const std::uint64_t limit = limit_of(RLIMIT_FSIZE);
  return {limit, "RLIMIT_FSIZE (ulimit -f), which also bounds memory that processes share"};
}

void refuse_large_files_by_error() noexcept {
  struct sigaction now{};
  if (sigaction(SIGXFSZ, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0) return;
  if (now.sa_handler == SIG_DFL) std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace lagoon::atoll::detail
