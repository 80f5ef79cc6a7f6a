// node-bandwidth: contiguous get, put and accumulate to a neighbour's block, 8 B to 64 MiB, from
// and to the best and the worst place of a page, beside the best copy (accumulate: a vectorised
// y += a x) on the very same memory, and MPI RMA.
#include <functional>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "places.hpp"
#include "plain.hpp"
#include "window.hpp"
#include "workloads.hpp"
#include "world/copy_bytes.hpp"

namespace bench {

namespace {

std::vector<std::int64_t> sizes(const Settings& settings) {
  if (settings.quick) return {8, 16 << 10, 1 << 20};
  return {8, 64, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20, 64 << 20};
}

/// What works on a buffer.
using Move = std::function<void(double*)>;

/// Ours at the best and at the worst place, the plain ways each at its own best one, and MPI's at
/// our best one.
void report(Context& context, const PageBuffer& buffer, const std::string& name, std::int64_t bytes,
            const Move& ours, const std::vector<Move>& plain, const std::string& plain_name,
            const Move& mpi) {
  const auto at = [&](const Move& move, std::int64_t place) {
    return loop([&move, to = buffer.at(place)](std::int64_t) { move(to); });
  };
  const auto places_of = [&](const Move& move) {
    return find_places(context.settings, [&](std::int64_t place) { move(buffer.at(place)); });
  };
  const Places places = places_of(ours);
  std::vector<Contender> contenders{at(ours, places.best), at(ours, places.worst),
                                    at(mpi, places.best)};
  for (const Move& move : plain) contenders.push_back(at(move, places_of(move).best));
  const auto s = race(context.settings, contenders);
  std::size_t best = 3;
  for (std::size_t i = best; i < s.size(); ++i)
    if (s[i].best() < s[best].best()) best = i;
  context.report.bandwidth(name, bytes, s[0], {{plain_name, s[best]}, {"MPI RMA", s[2]}});
  context.report.bandwidth(name + ", worst place", bytes, s[1],
                           {{"best place", s[0]}, {plain_name, s[best]}});
}

}  // namespace

void node_bandwidth(Context& context) {
  const std::int64_t largest = sizes(context.settings).back() / 8;
  atoll::Array<double> array(context.world, {2 * largest});
  Window window(context.world.communicator(), largest, Window::Kind::shared);
  context.world.sync();
  Pair pair(context.world.communicator(), {[&](std::int64_t) { context.world.barrier(); }});
  pair.run([&] {
    pair.ask(0, 0);
    const PageBuffer buffer(largest);
    const atoll::TypedBlock<double> block = array.block(1);
    double* const remote = block.data;
    const std::int64_t first = block.patch.lo[0];
    for (const std::int64_t bytes : sizes(context.settings)) {
      const std::int64_t n = bytes / 8;
      const auto size = static_cast<std::size_t>(bytes);
      const atoll::Patch patch{{first}, {first + n}};
      const std::string text = bytes_text(bytes);
      report(
          context, buffer, "node get bandwidth " + text, bytes,
          [&](double* local) { array.get(patch, local); },
          {[&](double* local) { plain::copy(local, remote, size); },
           [&](double* local) { atoll::detail::copy_bytes(local, remote, size); }},
          "best copy", [&](double* local) { window.get(local, n, 1, 0); });
      report(
          context, buffer, "node put bandwidth " + text, bytes,
          [&](double* local) { array.put(patch, local); },
          {[&](double* local) { plain::copy(remote, local, size); },
           [&](double* local) { atoll::detail::copy_bytes(remote, local, size); }},
          "best copy", [&](double* local) { window.put(local, n, 1, 0); });
      report(
          context, buffer, "node accumulate bandwidth " + text, bytes,
          [&](double* local) { array.accumulate(patch, local, 0.5); },
          {[&](double* local) { plain::add_scaled(remote, local, 0.5, n); }}, "y += a x",
          [&](double* local) { window.accumulate(local, n, 1, 0); });
    }
    context.world.barrier();
  });
}

}  // namespace bench
