// node-latency: 8 B get, put and accumulate to a neighbour's block, beside a plain call, an 8 B
// memcpy and MPI RMA. In turn over 512 neighbouring elements, so that caches hold them.
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "plain.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t span = 512;

// The array and the one-element patch that walks over the neighbour's block.
class Walk {
 public:
  Walk(const atoll::Group& group, const atoll::Index& shape)
      : array(group, shape), block(array.block(1)), last_(block.patch.dimensions() - 1) {
    patch_ = {block.patch.lo, block.patch.lo};
    for (std::int64_t& hi : patch_.hi) ++hi;
  }
  const atoll::Patch& at(std::int64_t i) {
    patch_.lo[last_] = block.patch.lo[last_] + (i & (span - 1));
    patch_.hi[last_] = patch_.lo[last_] + 1;
    return patch_;
  }
  double* address(std::int64_t i) const { return block.data + (i & (span - 1)); }
  std::int64_t column(std::int64_t i) const { return block.patch.lo[last_] + (i & (span - 1)); }

  atoll::Array<double> array;
  atoll::TypedBlock<double> block;

 private:
  int last_;
  atoll::Patch patch_;
};

}  // namespace

void node_latency(Context& context) {
  Walk line(context.world, {4 * span});
  Walk plane(context.world, {2 * span, 2 * span});
  Window window(context.world.communicator(), span, Window::Kind::shared);
  context.world.sync();
  Pair pair(context.world.communicator(), {[&](std::int64_t) { context.world.barrier(); }});
  pair.run([&] {
    pair.ask(0, 0);
    double value = 0.0;
    const Settings& settings = context.settings;
    Report& report = context.report;
    const auto race_gets = [&](const char* name, const Contender& ours) {
      const auto s =
          race(settings,
               {ours, loop([&](std::int64_t i) { plain::move_one(&value, line.address(i)); }),
                loop([&](std::int64_t i) { plain::copy(&value, line.address(i), sizeof value); }),
                loop([&](std::int64_t i) { window.get(&value, 1, 1, i & (span - 1)); })});
      report.latency(name, s[0], {{"plain call", s[1]}, {"memcpy 8 B", s[2]}, {"MPI RMA", s[3]}});
    };
    race_gets("node get 8 B, 1-D",
              loop([&](std::int64_t i) { line.array.get(line.at(i), &value); }));
    race_gets("node get 8 B, 2-D",
              loop([&](std::int64_t i) { plane.array.get(plane.at(i), &value); }));
    const std::int64_t row = plane.block.patch.lo[0];
    race_gets("node get 8 B, 2-D, patch in the call", loop([&](std::int64_t i) {
                const std::int64_t j = plane.column(i);
                plane.array.get({{row, j}, {row + 1, j + 1}}, &value);
              }));

    const auto race_puts = [&](const char* name, const Contender& ours) {
      const auto s =
          race(settings,
               {ours, loop([&](std::int64_t i) { plain::move_one(line.address(i), &value); }),
                loop([&](std::int64_t i) { plain::copy(line.address(i), &value, sizeof value); }),
                loop([&](std::int64_t i) { window.put(&value, 1, 1, i & (span - 1)); })});
      report.latency(name, s[0], {{"plain call", s[1]}, {"memcpy 8 B", s[2]}, {"MPI RMA", s[3]}});
    };
    value = 1.0;
    race_puts("node put 8 B, 1-D",
              loop([&](std::int64_t i) { line.array.put(line.at(i), &value); }));
    race_puts("node put 8 B, 2-D",
              loop([&](std::int64_t i) { plane.array.put(plane.at(i), &value); }));

    const auto race_adds = [&](const char* name, const Contender& ours) {
      const auto s =
          race(settings,
               {ours, loop([&](std::int64_t i) { plain::add_one(line.address(i), &value); }),
                loop([&](std::int64_t i) { window.accumulate(&value, 1, 1, i & (span - 1)); })});
      report.latency(name, s[0], {{"plain call", s[1]}, {"MPI RMA", s[2]}});
    };
    race_adds("node accumulate 8 B, 1-D",
              loop([&](std::int64_t i) { line.array.accumulate(line.at(i), &value); }));
    race_adds("node accumulate 8 B, 2-D",
              loop([&](std::int64_t i) { plane.array.accumulate(plane.at(i), &value); }));
    context.world.barrier();
  });
}

}  // namespace bench
