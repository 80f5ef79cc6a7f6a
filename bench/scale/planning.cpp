// atoll_scale: what the planning code costs with the ranks of large runs, without MPI: the same
// functions that calls run, in one process. Prints the table of docs/benchmarks.md.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "array/by_owner.hpp"
#include "array/distribution/place_finder.hpp"
#include "atoll/distribution.hpp"

namespace {

using namespace lagoon::atoll;

/// The least of some runs, in microseconds.
template <class F>
double microseconds(F&& f) {
  double least = 1e30;
  for (int run = 0; run < 5; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, spent.count());
  }
  return least;
}

/// Nanoseconds for each of so many positions at random: finding the owner, and sorting by it.
double scattered(const Distribution& distribution) {
  constexpr std::size_t count = 200'000;
  const Index& shape = distribution.shape();
  std::mt19937_64 random(static_cast<std::uint64_t>(distribution.ranks()));
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < count; ++i)
    for (const std::int64_t extent : shape)
      positions.push_back(std::uniform_int_distribution<std::int64_t>(0, extent - 1)(random));
  const auto n = static_cast<std::size_t>(shape.size());
  return 1000.0 / count * microseconds([&] {
           detail::ByOwner sorted;
           detail::PlaceFinder<std::int32_t> places(distribution, sizeof(double));
           for (std::size_t i = 0; i < count; ++i) {
             const auto [rank, offset, number] =
                 places.find(&positions[i * n], [&](int owner) { return sorted.number_of(owner); });
             sorted.add(number, offset, i);
           }
           sorted.sort(sizeof(double));
         });
}

}  // namespace

int main() {
  std::printf("%8s  %28s  %28s\n", "", "creation of a layout, us", "scattered, ns a position");
  std::printf("%8s  %8s %9s %9s  %8s %9s %9s\n", "ranks", "blocked", "tiled", "dealt", "blocked",
              "tiled", "dealt");
  const Index shape{1'000'000, 1'000'000};
  for (const int ranks : {64, 100, 1'000, 9'973, 10'000, 100'000}) {
    const Layout layouts[] = {Layout::blocked(), Layout::tiled({1000, 1000}),
                              Layout::dealt({1000, 1000})};
    double creation[3], position[3];
    for (int kind = 0; kind < 3; ++kind) {
      creation[kind] = microseconds([&] { (void)Distribution(layouts[kind], shape, ranks); });
      position[kind] = scattered(Distribution(layouts[kind], shape, ranks));
    }
    std::printf("%8d  %8.0f %9.0f %9.0f  %8.1f %9.1f %9.1f\n", ranks, creation[0], creation[1],
                creation[2], position[0], position[1], position[2]);
  }
  return 0;
}
