// Publishing, and the marks that it goes by.
#include <array>

#include "mirror_support.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(Mirror, PublishSpreadsWhatEachNodeWrote) {
  const Index shape{256, 64};
  Array<double> m(world(), shape, mirrored);
  std::vector<double> expected(static_cast<std::size_t>(shape.product()));
  Random random(11);
  for (int round = 0; round < 6; ++round) {
    // Bands of 64 rows: each is written by one node, in part.
    for (std::int64_t band = 0; band < 4; ++band) {
      const auto node = static_cast<int>(random.between(0, world().nodes()));
      Patch patch{{band * 64 + 3, 5}, {band * 64 + 50, 60}, {}};
      if (node == world().nodes()) continue;
      std::vector<double> values = expected;
      for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
        const std::int64_t i = linear_index(array_position(patch, position), shape);
        expected[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(i)] =
            static_cast<double>(i + round);
      });
      if (node == world().node()) put_shared(m, patch, values);
      if (round == 4 && node == world().node())
        zero({m, {{band * 64, 0}, {band * 64 + 64, 64}, {}}});
      if (round == 4) std::fill_n(expected.begin() + band * 64 * 64, 64 * 64, 0.0);
    }
    publish(m);
    EXPECT_TRUE(holds(m, expected)) << "round " << round;
    world().barrier();
  }
}

TEST(Mirror, PublishNamesTheTileThatTwoNodesWrote) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
  Array<double> m(world(), {256, 64}, mirrored);
  const double value = 3;
  const std::int64_t row = world().node() == 0 ? 0 : 1;
  if (m.group().rank() == 0) {
    if (world().node() <= 1) m.put({{row, 40}, {row + 1, 41}, {}}, &value);
    const std::int64_t own = 64 + 32 * world().node();
    m.put({{own % 256, 0}, {own % 256 + 1, 1}, {}}, &value);
  }
  m.group().sync();
  EXPECT_TRUE(all_throw_error(world(), [&] { publish(m); }, ErrorKind::value,
                              {"publish", "tile [0:32, 32:64]", "nodes 0 and 1", "'m'"}));
  // Nothing has changed: what one node did not write it still does not have.
  double there = -1;
  m.get({{0, 40}, {1, 41}, {}}, &there);
  EXPECT_EQ(there, world().node() == 0 ? 3 : 0);
  m.group().barrier();
  merge(m);  // settles it
  m.get({{1, 40}, {2, 41}, {}}, &there);
  EXPECT_EQ(there, 3);
  publish(m);  // nothing to do
  world().barrier();
}

TEST(Mirror, ZeroingOnEveryNodeIsNoConflict) {
  Array<double> m(world(), {64, 64}, mirrored);
  fill(m, 7);
  declare_equal(m);
  publish(m);
  for (int writer = 0; writer < world().nodes(); ++writer) {
    zero(m);
    std::vector<double> expected(64 * 64);
    expected[5] = writer + 1;
    const double value = writer + 1;
    if (world().node() == writer && m.group().rank() == 0) m.put({{0, 5}, {1, 6}, {}}, &value);
    m.group().sync();
    publish(m);
    EXPECT_TRUE(holds(m, expected));
    world().barrier();
  }
  // One node alone zeroes.
  if (world().node() == 0) zero(m);
  publish(m);
  EXPECT_TRUE(holds(m, std::vector<double>(64 * 64)));
  world().barrier();
}

TEST(Mirror, WritesThroughPointersAreFound) {
  const Index shape{96, 70};
  Array<double> m(world(), shape, mirrored);
  const TypedBlock<double> block = m.local();
  std::vector<double> expected(static_cast<std::size_t>(shape.product()));
  const auto write = [&](const Index& at, double value) {
    for (int d = 0; d < 2; ++d)
      if (at[d] < block.patch.lo[d] || at[d] >= block.patch.hi[d]) return;
    block.data[(at[0] - block.patch.lo[0]) * block.strides[0] +
               (at[1] - block.patch.lo[1]) * block.strides[1]] = value;
  };
  const auto set = [&](int node, const Index& at, double value) {
    if (node % world().nodes() == world().node()) write(at, value);
    expected[static_cast<std::size_t>(linear_index(at, shape))] = value;
  };
  for (int round = 1; round <= 3; ++round) {
    for (int k = 0; k < 3; ++k) set(k, {k * 32, 40}, round * 10 + k);
    m.group().sync();
    publish(m);
    EXPECT_TRUE(holds(m, expected)) << "round " << round;
    world().barrier();
  }
  // Reading alone is no change.
  (void)m.block(m.group().rank());
  const double more = 5;
  if (world().node() == 0 && m.group().rank() == 0) m.put({{1, 1}, {2, 2}, {}}, &more);
  expected[static_cast<std::size_t>(shape[1]) + 1] = more;
  m.group().sync();
  publish(m);
  EXPECT_TRUE(holds(m, expected));
  world().barrier();
  // The same value after zeroing counts as well.
  zero(m);
  std::fill(expected.begin(), expected.end(), 0.0);
  set(0, {0, 40}, 30);
  m.group().sync();
  merge(m);
  EXPECT_TRUE(holds(m, expected));
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
