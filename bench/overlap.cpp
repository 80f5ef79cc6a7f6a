// The three times and their difference.
#include "overlap.hpp"

#include <algorithm>

#include "workloads.hpp"

namespace bench {

namespace {
// Computation in units of the transfer's time: so much more that noise does not make it less.
constexpr double longer = 1.25;
}  // namespace

std::vector<std::int64_t> overlap_sizes(const Settings& settings) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 64 << 10; bytes <= std::min<std::int64_t>(8 << 20, settings.largest);
       bytes *= settings.quick ? 16 : 2)
    sizes.push_back(bytes);
  return sizes;
}

Figure Overlap::measure(const Settings& settings, const std::string& name, const Transfer& transfer,
                        const std::function<void()>& before, const std::function<void()>& after) {
  const auto contender = [&](std::function<void()> body) {
    Contender result = loop([body = std::move(body)](std::int64_t) { body(); });
    result.before = [&before](std::int64_t) { before(); };
    result.after = after;
    return result;
  };
  const Contender alone = contender([&] { transfer([] {}); });
  const double seconds = race(settings, {alone}, paired_batch).front().median();
  const std::int64_t portions = work_.portions_of(longer * seconds);
  const auto s = race(settings, {alone, contender([&] { work_.run(portions); }), contender([&] {
                                   transfer([&] { work_.run(portions); });
                                 })},
                      paired_batch);
  const auto hidden = [](double transfer_time, double work_time, double both) {
    return 100.0 * (transfer_time + work_time - both) / transfer_time;
  };
  return {name,
          "%",
          hidden(s[0].best(), s[1].best(), s[2].best()),
          hidden(s[0].median(), s[1].median(), s[2].median()),
          {}};
}

}  // namespace bench
