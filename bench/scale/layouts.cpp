// Layouts of a matrix of 10^6 x 10^6: their creation, and finding and sorting by owners.
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "array/by_owner.hpp"
#include "array/distribution/place_finder.hpp"
#include "atoll/distribution.hpp"
#include "tables.hpp"

namespace lagoon::atoll::scale {

namespace {

/// Nanoseconds for each of so many positions at random.
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

void print_layouts() {
  const Index shape{1'000'000, 1'000'000};
  const Layout layouts[] = {Layout::blocked(), Layout::tiled({1000, 1000}),
                            Layout::dealt({1000, 1000})};
  for (const int ranks : {64, 100, 1'000, 9'973, 10'000, 100'000}) {
    double creation[3], position[3], bytes[3];
    for (int kind = 0; kind < 3; ++kind) {
      creation[kind] = microseconds([&] { (void)Distribution(layouts[kind], shape, ranks); });
      position[kind] = scattered(Distribution(layouts[kind], shape, ranks));
      bytes[kind] =
          static_cast<double>(heap_of([&] { return Distribution(layouts[kind], shape, ranks); }));
    }
    std::printf("layouts\t%d\t%.0f\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f\n", ranks, creation[0],
                creation[1], creation[2], position[0], position[1], position[2]);
    std::printf("layout_bytes\t%d\t%.0f\t%.0f\t%.0f\n", ranks, bytes[0], bytes[1], bytes[2]);
  }
}

}  // namespace lagoon::atoll::scale
