// node-bandwidth: contiguous get, put and accumulate to a neighbour's block, 8 B to 64 MiB, beside
// memcpy (accumulate: a vectorised y += a x) on the very same memory, and MPI RMA.
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "plain.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

std::vector<std::int64_t> sizes(const Settings& settings) {
  if (settings.quick) return {8, 16 << 10, 1 << 20};
  return {8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20, 64 << 20};
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
    std::vector<double> buffer(static_cast<std::size_t>(largest), 1.0);
    double* const local = buffer.data();
    const atoll::TypedBlock<double> block = array.block(1);
    double* const remote = block.data;
    const std::int64_t first = block.patch.lo[0];
    for (const std::int64_t bytes : sizes(context.settings)) {
      const std::int64_t n = bytes / 8;
      const auto size = static_cast<std::size_t>(bytes);
      const atoll::Patch patch{{first}, {first + n}};
      const std::string text = bytes_text(bytes);

      auto s =
          race(context.settings, {loop([&](std::int64_t) { array.get(patch, local); }),
                                  loop([&](std::int64_t) { plain::copy(local, remote, size); }),
                                  loop([&](std::int64_t) { window.get(local, n, 1, 0); })});
      context.report.bandwidth("node get bandwidth " + text, bytes, s[0],
                               {{"memcpy", s[1]}, {"MPI RMA", s[2]}});

      s = race(context.settings, {loop([&](std::int64_t) { array.put(patch, local); }),
                                  loop([&](std::int64_t) { plain::copy(remote, local, size); }),
                                  loop([&](std::int64_t) { window.put(local, n, 1, 0); })});
      context.report.bandwidth("node put bandwidth " + text, bytes, s[0],
                               {{"memcpy", s[1]}, {"MPI RMA", s[2]}});

      s = race(context.settings,
               {loop([&](std::int64_t) { array.accumulate(patch, local, 0.5); }),
                loop([&](std::int64_t) { plain::add_scaled(remote, local, 0.5, n); }),
                loop([&](std::int64_t) { window.accumulate(local, n, 1, 0); })});
      context.report.bandwidth("node accumulate bandwidth " + text, bytes, s[0],
                               {{"y += a x", s[1]}, {"MPI RMA", s[2]}});
    }
    context.world.barrier();
  });
}

}  // namespace bench
