// block-matmul: the square of a matrix that decays away from its diagonal, as overlaps and density
// matrices of large molecules do, without the pairs of blocks below a threshold; beside the dense
// product, and beside the block-sparse product that keeps all. Any number of ranks.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct Decay {
  std::int64_t extent, block;
  double length;  // in which elements fall to 1/e
};

atoll::Array<double> decaying(const atoll::World& world, const Decay& decay) {
  atoll::Array<double> a(world, {decay.extent, decay.extent});
  const auto block = a.local();
  for (std::int64_t i = block.patch.lo[0]; i < block.patch.hi[0]; ++i)
    for (std::int64_t j = block.patch.lo[1]; j < block.patch.hi[1]; ++j) {
      const double value = std::exp(-std::abs(static_cast<double>(i - j)) / decay.length);
      // Numbers that vanish slow some processors down, and so the dense product.
      block.data[(i - block.patch.lo[0]) * block.strides[0] + (j - block.patch.lo[1])] =
          value < 1e-100 ? 0 : value;
    }
  world.sync();
  return a;
}

void measure(Context& context, const Decay& decay) {
  const atoll::Array<double> a = decaying(context.world, decay), b = decaying(context.world, decay);
  atoll::Array<double> c = a.duplicate();
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < decay.extent; i += decay.block) starts.push_back(i);
  const atoll::BlockCuts cuts{starts, starts, starts};
  const auto repeat = [](auto&& f) {
    return [=](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) f();
    };
  };
  constexpr double threshold = 1e-10;
  const atoll::BlockMatmulCount count = atoll::block_matmul(1, a, b, 0, c, cuts, threshold);
  const atoll::BlockScreen all = [](std::int64_t, std::int64_t, std::int64_t) { return true; };
  std::vector<Pair::Task> tasks = {
      repeat([&] { atoll::block_matmul(1, a, b, 0, c, cuts, threshold); }),
      repeat([&] { atoll::matmul(1, a, b, 0, c); }),
      repeat([&] { atoll::block_matmul(1, a, b, 0, c, cuts, all); }),
  };
  Pair pair(context.world.communicator(), tasks);
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    char percent[16];
    std::snprintf(percent, sizeof(percent), "%.1f",
                  100.0 * static_cast<double>(count.multiplied) / static_cast<double>(count.pairs));
    context.report.latency("block-matmul " + std::to_string(decay.extent) + ", blocks of " +
                               std::to_string(decay.block) + ", " + percent + " % of pairs",
                           s[0], {{"dense", s[1]}, {"all pairs", s[2]}});
  });
}

}  // namespace

void block_matmul(Context& context) {
  for (const std::int64_t block : {16, 64})
    for (const double length : {4.0, 16.0}) measure(context, {1024, block, length});
  if (context.settings.quick) return;
  for (const double length : {4.0, 16.0}) measure(context, {4096, 64, length});
}

}  // namespace bench
