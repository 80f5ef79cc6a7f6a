// Creating, duplicating, moving and destroying arrays, and that their memory comes back.
#include <fstream>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(ArrayLifetime, TellsItsProperties) {
  const Index shape{12, 7, 3};
  const Array<float> array(world(), shape, {.layout = Layout::tiled({4, 4, 3}), .name = "props"});
  EXPECT_TRUE(array.alive());
  EXPECT_EQ(array.type(), ElementType::float32);
  EXPECT_EQ(array.shape(), shape);
  EXPECT_EQ(array.dimensions(), 3);
  EXPECT_EQ(array.elements(), 252);
  EXPECT_EQ(array.name(), "props");
  EXPECT_EQ(array.group(), static_cast<const Group&>(world()));
  EXPECT_EQ(array.distribution().kind(), DistributionKind::tiled);
}

TEST(ArrayLifetime, ADestroyedArrayRefusesEverything) {
  Array<std::int64_t> array(world(), {4}, {.name = "gone"});
  array.destroy();
  EXPECT_FALSE(array.alive());
  std::int64_t value = 0;
  const Patch patch{{0}, {1}};
  const std::vector<std::function<void()>> uses{
      [&] { array.get(patch, &value); },
      [&] { array.put(patch, &value); },
      [&] { array.accumulate(patch, &value); },
      [&] { (void)array.get_async(patch, &value); },
      [&] { (void)array.put_async(patch, &value); },
      [&] { array.gather(std::vector<std::int64_t>{0}, &value); },
      [&] { array.scatter(std::vector<std::int64_t>{0}, &value); },
      [&] { array.fetch_add({0}, 1); },
      [&] { array.swap({0}, 1); },
      [&] { (void)array.local(); },
      [&] { (void)array.storage(world().rank()); },
      [&] { (void)array.duplicate(); },
      [&] { array.destroy(); }};
  for (std::size_t i = 0; i < uses.size(); ++i)
    EXPECT_TRUE(throws_error(uses[i], ErrorKind::state)) << "use " << i;
  world().barrier();
}

TEST(ArrayLifetime, AMovedFromArrayIsNotAlive) {
  Array<double> first(world(), {10});
  const std::vector<double> ones(10, 1.0);
  first.accumulate(whole({10}), ones.data());
  Array<double> second = std::move(first);
  EXPECT_FALSE(first.alive());  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_TRUE(throws_error([&] { first.put(whole({10}), ones.data()); }, ErrorKind::state));
  EXPECT_TRUE(second.alive());
  Array<double> third(world(), {3});
  third = std::move(second);
  world().sync();
  EXPECT_TRUE(holds(third, std::vector<double>(10, world().size())));
  world().barrier();
}

TEST(ArrayLifetime, ADuplicateHasTheLayoutButNotTheData) {
  for (const Layout& layout : sample_layouts({9, 8}, world().size())) {
    Array<double> array(world(), {9, 8}, {.layout = layout, .name = "first"});
    const std::vector<double> ones(72, 1.0);
    if (world().rank() == 0) array.put(whole({9, 8}), ones.data());
    Array<double> twin = array.duplicate("second");
    EXPECT_EQ(twin.distribution(), array.distribution());
    EXPECT_EQ(twin.name(), "second");
    EXPECT_EQ(twin.group(), array.group());
    EXPECT_TRUE(holds(twin, std::vector<double>(72)));
    world().sync();
    EXPECT_TRUE(holds(array, ones));
    Array<double> unset = array.duplicate("", false);
    EXPECT_EQ(unset.shape(), array.shape());
    world().barrier();
  }
}

TEST(ArrayLifetime, TakingOverAnotherTypeIsATypeError) {
  EXPECT_TRUE(all_throw_error(
      world(), [] { const Array<double> wrong(AnyArray(world(), {4}, ElementType::int32)); },
      ErrorKind::type, {"int32", "float64"}));
  const Array<std::int32_t> right(AnyArray(world(), {4}, ElementType::int32));
  EXPECT_TRUE(right.alive());
}

TEST(ArrayLifetime, FreshMemoryIsZeroAlsoWhereAnotherArrayHasBeen) {
  Random random(71);
  for (int round = 0; round < 200; ++round) {
    const Index shape = random_shape(random, 2, round % 20 == 0 ? 2'000'000 : 5000);
    Array<std::int64_t> array(world(), shape);
    const TypedBlock<std::int64_t> block = array.local();
    const auto mine = static_cast<std::size_t>(array.distribution().local_elements(world().rank()));
    for (std::size_t i = 0; i < mine; ++i) {
      if (block.data[i] != 0) {
        ADD_FAILURE() << "element " << i << " of " << shape.to_string() << " in round " << round;
        break;
      }
    }
    std::fill(block.data, block.data + mine, -1);
    if (round % 2 == 0) array.destroy();  // else by scope
  }
  world().barrier();
}

TEST(ArrayLifetime, ThousandsComeAndGo) {
  // Every creation is a meeting of all ranks, across nodes by messages: fewer will do there.
  const int count = world().nodes() == 1 ? 10'000 : 3'000;
  for (int i = 0; i < count; ++i) {
    Array<double> array(world(), {64, 64}, {.zero = i % 2 == 0});
    if (i % 1000 == 0) {
      const double value = i;
      if (world().rank() == 0) array.put({{63, 63}, {64, 64}}, &value);
      world().sync();
      double got = -1;
      array.get({{63, 63}, {64, 64}}, &got);
      EXPECT_EQ(got, value);
      world().barrier();
    }
    if (i % 3 == 0) array.destroy();
  }
}

TEST(ArrayLifetime, LargeOnesExceedTheMachinesMemoryInSumOnly) {
  // 60 arrays of 1 GB one after the other; touched a little at both ends.
  constexpr std::int64_t length = std::int64_t{1} << 27;
  for (int i = 0; i < 60; ++i) {
    Array<double> array(world(), {length}, {.zero = i % 2 == 0});
    const double value = i;
    if (world().rank() == 0) array.put({{length - 1}, {length}}, &value);
    world().sync();
    double got = -1;
    array.get({{length - 1}, {length}}, &got);
    EXPECT_EQ(got, value);
    world().barrier();
  }
}

/// Pages of shared memory that this process has mapped, in bytes.
std::int64_t mapped_shared_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssShmem:")) return std::stoll(line.substr(9)) * 1024;
  return 0;
}

TEST(ArrayLifetime, TouchedPagesComeBackToo) {
  // Five times 256 MB, every page written: freed memory must be used again or given back.
  constexpr std::int64_t length = std::int64_t{1} << 25;
  const std::int64_t before = mapped_shared_memory();
  for (int i = 0; i < 5; ++i) {
    Array<double> array(world(), {length}, {.zero = false});
    const TypedBlock<double> block = array.local();
    const std::int64_t mine = array.distribution().local_elements(world().rank());
    for (std::int64_t k = 0; k < mine; k += 512) block.data[k] = i + 1;
    world().sync();
  }
  EXPECT_LT(mapped_shared_memory() - before, std::int64_t{600} << 20);
  const Array<double> zeroed(world(), {length});
  const TypedBlock<double> block = zeroed.local();
  const std::int64_t mine = zeroed.distribution().local_elements(world().rank());
  std::int64_t dirty = 0;
  for (std::int64_t k = 0; k < mine; k += 512) dirty += block.data[k] != 0.0 ? 1 : 0;
  EXPECT_EQ(dirty, 0) << "pages of a fresh array still hold an old one's numbers";
  world().barrier();
}

TEST(ArrayLifetime, ManyLiveAtOnceAndGoInAnyOrder) {
  Random random(73);
  std::list<Array<std::int64_t>> arrays;
  std::list<std::int64_t> marks;
  for (std::int64_t i = 0; i < 1500; ++i) {
    if (!arrays.empty() && random.chance(0.45)) {
      const auto skip = random.between(0, std::ssize(arrays) - 1);
      arrays.erase(std::next(arrays.begin(), skip));
      marks.erase(std::next(marks.begin(), skip));
    } else {
      arrays.emplace_back(world(), Index{random.between(1, 2000)});
      marks.push_back(i);
      if (arrays.back().distribution().local_elements(world().rank()) > 0)
        *arrays.back().local().data = i;
    }
  }
  world().sync();
  auto mark = marks.begin();
  for (const auto& array : arrays) {
    if (array.distribution().local_elements(world().rank()) > 0) {
      EXPECT_EQ(*array.local().data, *mark);
    }
    ++mark;
  }
  world().barrier();
}

TEST(ArrayLifetime, RanksLetGoAtDifferentTimesWithoutHarm) {
  // A handle goes without communication; the memory stays until the last rank has let go.
  const int size = world().size();
  for (int round = 0; round < 50; ++round) {
    auto array = std::make_unique<Array<std::int64_t>>(world(), Index{size * 1000});
    const int late = round % size;
    world().barrier();
    if (world().rank() != late) array.reset();
    std::vector<Array<std::int64_t>> others;
    if (world().rank() == late) {
      const std::vector<std::int64_t> ones(static_cast<std::size_t>(size) * 1000, 1);
      array->accumulate(whole({size * 1000}), ones.data());
      EXPECT_TRUE(holds(*array, ones));
    }
    // The next array must not lie where the late rank still works.
    Array<std::int64_t> next(world(), {size * 1000});
    EXPECT_TRUE(holds(next, std::vector<std::int64_t>(static_cast<std::size_t>(size) * 1000)));
    world().barrier();
  }
}

TEST(ArrayLifetime, TooLargeIsAMemoryErrorOnAllRanksAndHarmless) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(all_throw_error(
        world(),
        [] { const Array<double> huge(world(), {std::int64_t{1} << 45}, {.name = "huge"}); },
        ErrorKind::memory, {"huge"}));
    const Array<double> small(world(), {100});
    EXPECT_TRUE(holds(small, std::vector<double>(100)));
    world().barrier();
  }
}

TEST(ArrayLifetime, ArraysMayOutliveTheirGroupsHandle) {
  auto make = [] {
    const Group group = world().split(world().rank() % 2);
    return Array<double>(group, {20});
  };
  Array<double> array = make();
  const std::vector<double> ones(20, 1.0);
  array.accumulate(whole({20}), ones.data());
  array.group().sync();
  EXPECT_TRUE(holds(array, std::vector<double>(20, array.group().size())));
  array.group().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
