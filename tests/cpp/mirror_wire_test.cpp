// What merges and copies of mirrored arrays send, counted.
#include "mirror_support.hpp"
#include "wire_counter.hpp"

namespace lagoon::atoll::test {
namespace {

class MirrorWire : public testing::Test {
 protected:
  void SetUp() override {
    if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
    if (mode_is("ATOLL_PROGRESS", "rank")) GTEST_SKIP() << "what progress ranks send is not seen";
  }
};

// What a meeting sends, from every node to every other: a length, three words, and a bit a tile for
// each kind of marks.
std::int64_t meeting_bytes(std::int64_t tiles, int kinds = 1) {
  const int n = world().nodes();
  return 8 * (1 + 3 + kinds * ((tiles + 63) / 64)) * n * (n - 1);
}

TEST_F(MirrorWire, AnUntouchedArraySendsNoArrayBytes) {
  Array<double> m(world(), {1024, 1024}, mirrored);
  world().sync();
  WireCounter counter;
  merge(m);
  publish(m);
  zero(m);
  merge(m);
  EXPECT_EQ(counter.sent(), 2 * meeting_bytes(1024) + meeting_bytes(1024, 3));
}

TEST_F(MirrorWire, OnlyWrittenTilesTravel) {
  const int n = world().nodes();
  Array<double> m(world(), {1024, 1024}, mirrored);
  // Node 0 alone writes 16 tiles: each other node must receive them once.
  if (world().node() == 0) fill({m, {{0, 0}, {128, 128}, {}}}, 1);
  world().sync();
  {
    WireCounter counter;
    merge(m);
    const std::int64_t sent = counter.sent();
    EXPECT_GE(sent, 128 * 128 * 8 * (n - 1));
    EXPECT_LE(sent, 128 * 128 * 8 * (n - 1) + meeting_bytes(1024));
  }
  zero(m);
  // All nodes write everything: 2 (n - 1) / n of the array each.
  fill(m, 1);
  world().sync();
  WireCounter counter;
  merge(m);
  const std::int64_t sent = counter.sent();
  EXPECT_GE(sent, 2 * (n - 1) * (std::int64_t{8} << 20));
  EXPECT_LE(sent, 2 * (n - 1) * (std::int64_t{8} << 20) + meeting_bytes(1024));
}

TEST_F(MirrorWire, SmallContributionsTravelWithTheMarks) {
  const int n = world().nodes();
  const Index shape{20, 13};
  Array<double> m(world(), shape, mirrored);
  fill(m, world().node() + 1);
  world().sync();
  WireCounter counter;
  merge(m);
  EXPECT_EQ(counter.sent(), meeting_bytes(1) + n * (n - 1) * 20 * 13 * 8);
  EXPECT_TRUE(holds(m, std::vector<double>(20 * 13, n * (n + 1) / 2)));
}

TEST_F(MirrorWire, WhatAllHaveWrittenGoesByShares) {
  const int n = world().nodes();
  Array<double> m(world(), {256, 256}, mirrored);
  fill(m, 1);
  world().sync();
  WireCounter counter;
  merge(m);
  EXPECT_EQ(counter.sent(), meeting_bytes(64) + 2 * (n - 1) * 256 * 256 * 8);
  EXPECT_TRUE(holds(m, std::vector<double>(256 * 256, n)));
}

TEST_F(MirrorWire, CopiesMoveWhatEachNodeLacks) {
  if (mode_is("ATOLL_TRANSPORT", "rma")) GTEST_SKIP() << "gets by RMA are no messages";
  const Index shape{700, 600};
  for (const Layout& layout : {Layout::blocked(), Layout::blocked({700, 1})}) {
    Array<double> d(world(), shape, {.layout = layout});
    fill(d, 2);
    Array<double> m(world(), shape, mirrored);
    std::int64_t lacking = 0;
    for (int rank = 0; rank < world().size(); ++rank)
      lacking += d.distribution().local_elements(rank) * 8 * (world().nodes() - 1);
    world().sync();
    {
      WireCounter counter;
      copy(d, m);
      const auto sent = static_cast<double>(counter.sent());
      EXPECT_GE(sent, static_cast<double>(lacking));
      EXPECT_LE(sent, 1.02 * static_cast<double>(lacking));
    }
    EXPECT_TRUE(holds(m, std::vector<double>(700 * 600, 2)));
    world().sync();
    WireCounter counter;
    copy(m, d);
    EXPECT_LE(counter.sent(), 2048 * world().nodes());
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
