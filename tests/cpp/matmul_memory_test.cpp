// What products take beyond their operands, as the system counts it.
#include <fstream>
#include <functional>
#include <string>

#include "atoll/algebra.hpp"
#include "atoll/matmul.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_measurable = false;
#else
constexpr bool memory_is_measurable = true;
#endif

/// A line of /proc/self/status in bytes.
std::int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name + ":") {
      std::int64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes << 10;
    }
  return -1;
}

/// By how much the process grows at most while `f` runs; -1 where the system does not tell.
std::int64_t growth_during(const std::function<void()>& f) {
  {
    std::ofstream reset("/proc/self/clear_refs");  // 5: the peak begins anew
    if (!(reset << "5" << std::flush)) return -1;
  }
  const std::int64_t before = status_bytes("VmRSS");
  f();
  return status_bytes("VmHWM") - before;
}

TEST(MatmulMemory, PanelsBeyondTheOperandsFitTheBudget) {
  if (!memory_is_measurable || world().nodes() == 1) GTEST_SKIP() << "needs two nodes, unsanitized";
  constexpr std::int64_t n = 2048, budget = std::int64_t{2} << 20;
  // Messages of MPI, staging buffers, pages that the system rounds up to. Unbounded, the panels of
  // a rank would take 16 MiB and more.
  constexpr std::int64_t others = std::int64_t{8} << 20;
  Array<double> a(world(), {n, n}), b(world(), {n, n}), c(world(), {n, n});
  fill(a, 1.0);
  fill(b, 1.0);
  const MatmulOptions options{.memory = budget};
  matmul(1, a, b, 0, c, options);  // maps what ranks of my node own, and what the BLAS keeps
  const std::int64_t grown = growth_during([&] { matmul(1, a, b, 0, c, options); });
  if (grown < 0) GTEST_SKIP() << "the system does not tell";
  EXPECT_LT(grown, budget + others);
  EXPECT_EQ(minimum_element(c).value.as<double>(), static_cast<double>(n));
}

}  // namespace
}  // namespace lagoon::atoll::test
