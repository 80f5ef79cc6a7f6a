// The survey: each place by itself, several rounds over all, the least time counts.
#include "places.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <new>

namespace bench {

namespace {

constexpr std::int64_t page = 4096;
constexpr std::size_t places = page / sizeof(double);
constexpr double shortest = 2e-5;  // seconds at a place
constexpr int rounds = 3;

// 0, 1, -1, 2, -2, ... within the page.
std::int64_t place_of(std::size_t turn) {
  const std::size_t distance = (turn + 1) / 2;
  return static_cast<std::int64_t>(turn % 2 == 1 ? distance : (places - distance) % places);
}

double time_of(const std::function<void(std::int64_t)>& move, std::int64_t place,
               std::int64_t times) {
  const double start = now();
  for (std::int64_t i = 0; i < times; ++i) move(place);
  return now() - start;
}

}  // namespace

Places find_places(const Settings& settings, const std::function<void(std::int64_t)>& move) {
  const double budget = (settings.quick ? 0.02 : 0.4) * settings.share;  // of a round
  (void)time_of(move, 0, 1);
  const double once = std::max(time_of(move, 0, 1), 1e-9);
  const auto times = std::max<std::int64_t>(1, static_cast<std::int64_t>(shortest / once));
  std::array<double, places> least{};
  least.fill(std::numeric_limits<double>::infinity());
  std::size_t seen = places;
  for (int round = 0; round < rounds; ++round) {
    const double end = now() + budget;
    for (std::size_t turn = 0; turn < seen; ++turn) {
      if (round == 0 && turn > 2 && now() > end) seen = turn;
      const auto place = place_of(turn);
      double& found = least[turn];
      found = std::min(found, time_of(move, place, times));
    }
  }
  const auto* const first = least.data();
  const auto [best, worst] = std::minmax_element(first, first + seen);
  return {place_of(static_cast<std::size_t>(best - first)),
          place_of(static_cast<std::size_t>(worst - first))};
}

PageBuffer::PageBuffer(std::int64_t doubles) {
  const std::size_t bytes =
      (static_cast<std::size_t>(doubles) * sizeof(double) / page + 2) * std::size_t{page};
  memory_.reset(static_cast<double*>(std::aligned_alloc(page, bytes)));
  if (memory_ == nullptr) throw std::bad_alloc();
  std::fill_n(memory_.get(), bytes / sizeof(double), 1.0);
}

void PageBuffer::Free::operator()(double* memory) const { std::free(memory); }

}  // namespace bench
