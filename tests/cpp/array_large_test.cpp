// Large transfers and large index spaces: megabytes in one call, and arrays beyond 2^31 elements
// of which only the ends are ever touched (memory is committed by the page).
#include <unistd.h>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

/// Address space is taken from the node's memory limit even where nothing is touched.
bool machine_has_16_gigabytes() {
  return ::sysconf(_SC_PHYS_PAGES) / 1024 * ::sysconf(_SC_PAGE_SIZE) >= std::int64_t{16} << 20;
}

std::vector<double> ramp(std::int64_t count, double first = 0) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<double>(i);
  return values;
}

/// Puts, accumulates and gets `patch` of a (rows, columns) array of doubles, whoever owns it.
void round_trip(const Index& shape, const Patch& patch, const Layout& layout) {
  Array<double> array(world(), shape, {.layout = layout});
  const int actor = world().size() - 1;
  const std::vector<double> values = ramp(patch.elements(), 1);
  if (world().rank() == actor) {
    array.put(patch, values.data());
    array.accumulate(patch, values.data(), 2.0);
  }
  world().sync();
  if (world().rank() == 0) {
    std::vector<double> got(values.size());
    array.get(patch, got.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      if (got[i] != 3 * values[i]) ++wrong;
    EXPECT_EQ(wrong, 0U) << "of " << got.size();
  }
  world().barrier();
}

TEST(LargeTransfer, EightMegabytesContiguous) {
  round_trip({1 << 20}, whole({1 << 20}), Layout::blocked());
  round_trip({1 << 20}, whole({1 << 20}), Layout::blocked({1 << 20}));
}

TEST(LargeTransfer, EightMegabytesStrided) {
  round_trip({2048, 2048}, {{500, 512}, {1524, 1536}}, Layout::blocked());
  round_trip({2048, 1024}, {{1, 3}, {2048, 1024}, {2, 1}}, Layout::tiled({100, 100}));
}

TEST(LargeTransfer, AHundredMegabytesContiguous) {
  const Index shape{100 << 17};
  round_trip(shape, whole(shape), Layout::blocked());
}

TEST(LargeTransfer, AHundredMegabytesStrided) {
  round_trip({3600, 7200}, {{5, 9}, {3600, 3650}}, Layout::blocked());
}

TEST(LargeTransfer, ThinColumnsOfALargeArray) {
  round_trip({200'000, 16}, {{0, 7}, {200'000, 8}}, Layout::blocked());
  round_trip({16, 200'000}, {{3, 1}, {4, 200'000}, {1, 7}}, Layout::blocked());
}

TEST(LargeTransfer, ManyStridedBuffersInARowNeverRunOutOfStaging) {
  // Each goes through a staging buffer on its way to another node; a pool that loses one in some
  // rare order of events is empty after a few, and the next put waits for ever.
  constexpr std::int64_t rows = 8, columns = 1000, spacing = 3 * columns;
  Array<double> array(world(), {world().size() * rows, columns},
                      {.layout = Layout::blocked({rows, columns})});
  const std::int64_t first = (world().rank() + 1) % world().size() * rows;
  const Patch block{{first, 0}, {first + rows, columns}};
  std::vector<double> sent = ramp(rows * spacing);
  std::vector<double> got(sent.size());
  for (int round = 0; round < 200; ++round) {
    sent[0] = round;
    array.put(block, sent.data(), {spacing, 1});
    array.get(block, got.data(), {spacing, 1});
    ASSERT_EQ(got[0], round);
  }
  EXPECT_EQ(got[(rows - 1) * spacing], static_cast<double>((rows - 1) * spacing));
  world().sync();
}

TEST(LargeTransfer, SmallOperationsAreNotStuckBehindLargeOnes) {
  // A rank reads one element while it streams 64 MB to the same node: the read does not have to
  // wait for all of it, and both are right.
  const int size = world().size();
  constexpr std::int64_t length = 8 << 20;
  Array<double> array(world(), {size, length}, {.layout = Layout::blocked({1, length})});
  const int target = (world().rank() + 1) % size;
  if (world().rank() == 0) {
    const std::vector<double> values = ramp(length);
    Handle put = array.put_async({{target, 0}, {target + 1, length}}, values.data());
    for (int i = 0; i < 10; ++i) {
      double got = -1;
      const int other = (target + 1) % size;
      array.get({{other, 0}, {other + 1, 1}}, &got);
      EXPECT_EQ(got, 0.0);
    }
    put.wait();
  }
  world().sync();
  double end = 0;
  const int written = 1 % size;
  array.get({{written, length - 1}, {written + 1, length}}, &end);
  EXPECT_EQ(end, static_cast<double>(length - 1));
  world().barrier();
}

TEST(LargeIndex, ThreeThousandMillionElementsInOneDimension) {
  if (!machine_has_16_gigabytes()) GTEST_SKIP() << "needs 16 GB of memory";
  constexpr std::int64_t length = 3'000'000'000;
  Array<std::int32_t> array(world(), {length}, {.name = "long"});
  EXPECT_EQ(array.elements(), length);
  const std::vector<std::int64_t> places{0,
                                         1,
                                         (std::int64_t{1} << 31) - 1,
                                         std::int64_t{1} << 31,
                                         (std::int64_t{1} << 31) + 1,
                                         length / (world().size() + 1),
                                         length - 2,
                                         length - 1};
  if (world().rank() == 0)
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto value = static_cast<std::int32_t>(i + 1);
      array.put({{places[i]}, {places[i] + 1}}, &value);
    }
  world().sync();
  array.fetch_add({length - 1}, 1);
  const std::int32_t one = 1;
  array.accumulate({{length - 2}, {length - 1}}, &one);
  const std::vector<std::int32_t> ones{1, 1};
  array.scatter_accumulate(std::vector<std::int64_t>{0, std::int64_t{1} << 31}, ones.data());
  world().sync();
  std::vector<std::int32_t> got(places.size());
  array.gather(places, got.data());
  const std::int32_t n = world().size();
  EXPECT_EQ(got, (std::vector<std::int32_t>{1 + n, 2, 3, 4 + n, 5, 6, 7 + n, 8 + n}));
  std::vector<std::int32_t> across(4);
  array.get({{(std::int64_t{1} << 31) - 2}, {(std::int64_t{1} << 31) + 2}}, across.data());
  EXPECT_EQ(across, (std::vector<std::int32_t>{0, 3, 4 + n, 5}));
  EXPECT_EQ(array.owner({length - 1}), array.locate({{length - 1}, {length}}).front().rank);
  world().barrier();
}

TEST(LargeIndex, StepsOfThousandsOfMillions) {
  if (!machine_has_16_gigabytes()) GTEST_SKIP() << "needs 16 GB of memory";
  constexpr std::int64_t length = 3'000'000'000;
  Array<std::int32_t> array(world(), {length});
  const Patch comb{{7}, {length}, {999'999'999}};
  ASSERT_EQ(comb.elements(), 3);
  const std::vector<std::int32_t> values{10, 20, 30};
  if (world().rank() == world().size() - 1) array.put(comb, values.data());
  world().sync();
  std::vector<std::int32_t> got(3);
  array.get(comb, got.data());
  EXPECT_EQ(got, values);
  got.resize(1);
  array.get({{2'000'000'005}, {2'000'000'006}}, got.data());
  EXPECT_EQ(got[0], 30);
  world().barrier();
}

TEST(LargeIndex, TwoDimensionsWithFarApartRows) {
  if (!machine_has_16_gigabytes()) GTEST_SKIP() << "needs 16 GB of memory";
  const Index shape{70'000, 50'000};  // 3.5e9 elements of 4 bytes
  for (const Layout& layout :
       {Layout::blocked(), Layout::block_cyclic({1024, 1024}), Layout::tiled({1024, 1024})}) {
    Array<float> array(world(), shape, {.layout = layout});
    const Patch corners{{0, 0}, {70'000, 50'000}, {69'999, 49'999}};
    ASSERT_EQ(corners.elements(), 4);
    const std::vector<float> values{1, 2, 3, 4};
    if (world().rank() == 0) array.put(corners, values.data());
    world().sync();
    std::vector<float> got(4);
    array.get(corners, got.data());
    EXPECT_EQ(got, values) << array.distribution().to_string();
    world().barrier();
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
