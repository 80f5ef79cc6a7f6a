#include "ghost/report.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "ghost/ghost.hpp"

namespace lagoon::atoll::ghost {

namespace {

constexpr std::array makers = {"MPI_Win_allocate", "MPI_Win_create", "MPI_Win_create_dynamic",
                               "MPI_Win_allocate_shared"};
constexpr std::array fates = {"redirected to Atoll", "MPI's own, with a thread for progress",
                              "MPI's own, unchanged"};
constexpr std::size_t kinds = makers.size() * fates.size();

std::array<std::atomic<std::int64_t>, kinds> counts{};

std::array<std::int64_t, kinds> counts_here() noexcept {
  std::array<std::int64_t, kinds> here{};
  for (std::size_t kind = 0; kind < kinds; ++kind) here[kind] = counts[kind].load();
  return here;
}

/// A line for each kind of which there are some.
template <class Print>
void print_counts(const std::array<std::int64_t, kinds>& all, bool always, Print&& print) {
  bool none = true;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (all[kind] == 0) continue;
    none = false;
    print(std::to_string(all[kind]) + (all[kind] == 1 ? " window" : " windows") + " by " +
          makers[kind / fates.size()] + ": " + fates[kind % fates.size()]);
  }
  if (none && always) print("the program has made no windows");
}

}  // namespace

void count_window(WindowMaker maker, WindowFate fate) noexcept {
  const auto kind = static_cast<std::size_t>(maker) * fates.size() + static_cast<std::size_t>(fate);
  counts[kind].fetch_add(1, std::memory_order_relaxed);
}

void print_report() noexcept {
  const std::array<std::int64_t, kinds> mine = counts_here();
  std::array<std::int64_t, kinds> all{};
  PMPI_Reduce(mine.data(), all.data(), static_cast<int>(kinds), MPI_INT64_T, MPI_SUM, 0,
              user_world());
  print_counts(all, true, say);
}

void print_report_of_process(bool always) noexcept {
  print_counts(counts_here(), always, [](const std::string& line) {
    std::fprintf(stderr, "atoll ghost: sessions: %s\n", line.c_str());
  });
}

}  // namespace lagoon::atoll::ghost
