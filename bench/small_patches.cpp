// small-patches: every rank gets, puts and accumulates patches of 8 B to 4 KiB at random places,
// with a sync now and then, as a program of small tasks does. Between nodes beside the same among
// the ranks of each node, all of them at work too.
#include <random>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t rows = 512, columns = 2048;
constexpr std::int64_t most_rows = 8, most_columns = 64;  // of a patch: 4 KiB
constexpr std::int64_t operations_between_syncs = 32;

/// One rank's part of the mix on one array; ranks draw different places, every run the same ones.
class Mix {
 public:
  Mix(const atoll::Group& group, int seed)
      : group_(group), array_(group, {rows, columns}), random_(static_cast<unsigned>(seed)) {
    atoll::fill(array_, 0.0);
  }

  void run(std::int64_t syncs) {
    for (std::int64_t sync = 0; sync < syncs; ++sync) {
      for (std::int64_t i = 0; i < operations_between_syncs; ++i) operate();
      group_.sync();
    }
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  void operate() {
    const std::int64_t height = 1 + below(most_rows), width = 1 + below(most_columns);
    const std::int64_t row = below(rows - height + 1), column = below(columns - width + 1);
    const atoll::Patch patch{{row, column}, {row + height, column + width}};
    switch (below(3)) {
      case 0: array_.get(patch, buffer_.data()); break;
      case 1: array_.put(patch, buffer_.data()); break;
      default: array_.accumulate(patch, buffer_.data(), 1.0);
    }
  }

  const atoll::Group& group_;
  atoll::Array<double> array_;
  std::mt19937_64 random_;
  std::vector<double> buffer_ = std::vector<double>(most_rows * most_columns, 1.0);
};

}  // namespace

void small_patches(Context& context) {
  atoll::World& world = context.world;
  const atoll::Group node = world.split(world.node());
  Mix between(world, world.rank()), within(node, world.rank());
  Pair pair(world.communicator(), {[&](std::int64_t n) { between.run(n); },
                                   [&](std::int64_t n) {
                                     within.run(n);
                                     world.barrier();
                                   }});
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    const double operation = 1.0 / operations_between_syncs;
    context.report.latency("small patches, " + std::to_string(world.size()) + " ranks on " +
                               std::to_string(world.nodes()) + " nodes",
                           s[0].scaled(operation), {{"within the nodes", s[1].scaled(operation)}});
  });
}

}  // namespace bench
