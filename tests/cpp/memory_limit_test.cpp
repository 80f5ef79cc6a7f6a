// Limits of memory: control groups of both versions, on made-up trees of files.
#include "world/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "file_support.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::cgroup_limits;
using detail::MemoryLimit;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// A root folder of this rank's own, into which a test writes what /proc and /sys would show.
class FakeRoot {
 public:
  FakeRoot() { std::filesystem::create_directories(root_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;
  ~FakeRoot() { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  /// The least limit's bytes; 0 without any.
  std::uint64_t least() const {
    const auto found = limits();
    if (found.empty()) return 0;
    MemoryLimit result = found.front();
    for (const MemoryLimit& each : found) result = detail::least(result, each);
    return result.bytes;
  }
  std::vector<MemoryLimit> limits() const { return cgroup_limits(root_); }

 private:
  const std::string root_ =
      std::filesystem::temp_directory_path().string() + "/atoll_limits_" + std::to_string(getpid());
};

constexpr const char* version_2 =
    "25 20 0:22 / /proc rw shared:5 - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate";
constexpr const char* version_1 =
    "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory";

TEST(CgroupLimits, NoneWhereThereAreNoControlGroups) {
  const FakeRoot root;
  EXPECT_TRUE(root.limits().empty());
  root.write("/proc/self/cgroup", "0::/job");
  EXPECT_TRUE(root.limits().empty());
}

TEST(CgroupLimits, OfVersion2AreTheLeastUpTheTree) {
  const FakeRoot root;
  root.write("/proc/self/mountinfo", version_2);
  root.write("/proc/self/cgroup", "0::/slurm/job_7/step_0/task_0");
  const std::string job = "/sys/fs/cgroup/slurm/job_7";
  root.write(job + "/step_0/task_0/memory.max", "max");
  root.write(job + "/memory.max", std::to_string(300 * mebibyte));
  root.write(job + "/memory.current", std::to_string(90 * mebibyte));
  root.write(job + "/memory.stat", "anon 1048576\ninactive_file 10485760\nactive_file 20971520");
  root.write("/sys/fs/cgroup/slurm/memory.max", std::to_string(4096 * mebibyte));
  EXPECT_EQ(root.least(), 240 * mebibyte);  // 60 of the 90 cannot be dropped
  ASSERT_EQ(root.limits().size(), 2U);
  const std::string whose = root.limits().front().whose;
  EXPECT_NE(whose.find("300 MiB (" + job + "/memory.max), 60 MiB"), whose.npos) << whose;
}

TEST(CgroupLimits, OfVersion2CountWhatSlowsDownAsWell) {
  const FakeRoot root;
  root.write("/proc/self/mountinfo", version_2);
  root.write("/proc/self/cgroup", "0::/job");
  root.write("/sys/fs/cgroup/job/memory.max", std::to_string(300 * mebibyte));
  root.write("/sys/fs/cgroup/job/memory.high", std::to_string(200 * mebibyte));
  EXPECT_EQ(root.least(), 200 * mebibyte);
}

TEST(CgroupLimits, OfVersion1AreTheLeastUpTheTree) {
  const FakeRoot root;
  root.write("/proc/self/mountinfo", version_1);
  root.write("/proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/slurm/job_7/step_0\n0::/");
  const std::string tree = "/sys/fs/cgroup/memory";
  root.write(tree + "/memory.limit_in_bytes", "9223372036854771712");  // the kernel's "none"
  root.write(tree + "/slurm/job_7/memory.limit_in_bytes", std::to_string(500 * mebibyte));
  root.write(tree + "/slurm/job_7/step_0/memory.limit_in_bytes", std::to_string(400 * mebibyte));
  root.write(tree + "/slurm/job_7/memory.usage_in_bytes", std::to_string(250 * mebibyte));
  root.write(tree + "/slurm/job_7/memory.stat", "inactive_file 7\ntotal_inactive_file 1048576");
  EXPECT_EQ(root.least(), 251 * mebibyte);
  EXPECT_EQ(root.limits().size(), 2U);
}

TEST(CgroupLimits, OfAContainerWhosePathIsThatOfTheHost) {
  const FakeRoot root;
  root.write("/proc/self/mountinfo",
             "35 31 0:32 /docker/ab\\040c /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory");
  root.write("/proc/self/cgroup", "4:memory:/docker/ab c/inner");
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(64 * mebibyte));
  root.write("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", std::to_string(32 * mebibyte));
  EXPECT_EQ(root.least(), 32 * mebibyte);
  root.write("/proc/self/cgroup", "4:memory:/somewhere/else");
  EXPECT_EQ(root.least(), 64 * mebibyte);
}

TEST(CgroupLimits, OfAGroupThatIsFullAreNothing) {
  const FakeRoot root;
  root.write("/proc/self/mountinfo", version_2);
  root.write("/proc/self/cgroup", "0::/");
  root.write("/sys/fs/cgroup/memory.max", "1048576");
  root.write("/sys/fs/cgroup/memory.current", "2097152");
  ASSERT_EQ(root.limits().size(), 1U);
  EXPECT_EQ(root.least(), 0U);
}

std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(AddressSpaceLimit, LeavesHalfToTheProcess) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  // Far above what this process has mapped (sanitizers: more than 100 TiB), so that nothing fails
  // meanwhile.
  const std::uint64_t mapped = mapped_bytes(), left = std::uint64_t{1} << 40;
  rlimit lower = before;
  lower.rlim_cur = mapped + left;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &lower), 0);
  const MemoryLimit found = detail::address_space_limit();
  setrlimit(RLIMIT_AS, &before);
  // What other threads unmap meanwhile is left, too.
  EXPECT_LE(found.bytes, (lower.rlim_cur - std::min(mapped, mapped_bytes())) / 2);
  EXPECT_GT(found.bytes, left / 4);
  EXPECT_NE(found.whose.find("ulimit -v"), found.whose.npos);
}

// As large as the World's start allows: beyond it all ranks are told whose limit it is.
TEST(MemoryLimit, IsNamedWhereAnArrayIsBeyondIt) {
  const std::int64_t much = std::int64_t{1} << 50;
  try {
    const Array<double> array(world(), {much});
    ADD_FAILURE() << "an array of 8 PiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_NE(std::string(error.what()).find("limited by "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
