// Atomic operations: fetch_add, swap, their mixture with accumulate, and Counter. Totals are exact.
#include <algorithm>
#include <limits>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

/// All ranks' values of one length, in rank order. Collective.
std::vector<std::int64_t> all_values(const Group& group, const std::vector<std::int64_t>& mine) {
  std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(group.size()));
  std::copy(mine.begin(), mine.end(),
            all.begin() + static_cast<std::ptrdiff_t>(mine.size()) * group.rank());
  group.reduce(std::span(all));
  return all;
}

template <class T>
class ArrayAtomic : public testing::Test {};
TYPED_TEST_SUITE(ArrayAtomic, IntegerTypes);

TYPED_TEST(ArrayAtomic, FetchAddReturnsTheOldValue) {
  using T = TypeParam;
  for (const Layout& layout : sample_layouts({5, 7}, world().size())) {
    Array<T> array(world(), {5, 7}, {.layout = layout});
    if (world().rank() == world().size() - 1)
      for_each_position({5, 7}, [&](const Index& position, std::int64_t linear) {
        EXPECT_EQ(array.fetch_add(position, linear), 0);
        EXPECT_EQ(array.fetch_add(position, -3), linear);
        EXPECT_EQ(array.fetch_add(position, 0), linear - 3);
      });
    world().sync();
  }
}

TYPED_TEST(ArrayAtomic, ConcurrentFetchAddsHandOutEachValueOnce) {
  using T = TypeParam;
  constexpr std::int64_t times = 2000;
  const int size = world().size();
  for (int home = 0; home < size; ++home) {
    Array<T> array(world(), {size}, {.layout = Layout::blocked({1})});
    std::vector<std::int64_t> mine;
    for (std::int64_t i = 0; i < times / size; ++i) mine.push_back(array.fetch_add({home}, 1));
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    std::vector<std::int64_t> all = all_values(world(), mine);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(all[i], static_cast<std::int64_t>(i)) << "lost or doubled";
    world().sync();
  }
}

TYPED_TEST(ArrayAtomic, SwapReturnsTheOldValueAndLosesNone) {
  using T = TypeParam;
  constexpr std::int64_t times = 500;
  Array<T> cell(world(), {world().size()});
  const Index last{world().size() - 1};
  // Everybody swaps in distinct numbers: each comes out exactly once, or is there at the end.
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < times; ++i)
    out.push_back(cell.swap(last, world().rank() * times + i + 1));
  world().sync();
  std::vector<std::int64_t> all = all_values(world(), out);
  T left = 0;
  cell.get({last, {last[0] + 1}}, &left);
  all.push_back(left);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<std::int64_t>(i));
  world().barrier();
}

TYPED_TEST(ArrayAtomic, MixesWithAccumulateOnTheSameElements) {
  using T = TypeParam;
  const Index shape{4, 5};
  constexpr int rounds = 300;
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<T> array(world(), shape, {.layout = layout});
    const std::vector<T> ones(20, 1);
    Random random(61, world().rank());
    for (int round = 0; round < rounds; ++round) {
      // One adds 20 by an accumulate over all, or by 20 fetch-adds, or by scattered elements.
      switch (random.between(0, 2)) {
        case 0: array.accumulate(whole(shape), ones.data()); break;
        case 1:
          for_each_position(
              shape, [&](const Index& position, std::int64_t) { array.fetch_add(position, 1); });
          break;
        default: {
          std::vector<std::int64_t> flat;
          for_each_position(shape, [&](const Index& position, std::int64_t) {
            flat.insert(flat.end(), position.begin(), position.end());
          });
          array.scatter_accumulate(flat, ones.data());
        }
      }
    }
    world().sync();
    EXPECT_TRUE(holds(array, std::vector<T>(20, static_cast<T>(rounds * world().size()))));
    world().barrier();
  }
}

TYPED_TEST(ArrayAtomic, WrapsAroundLikeTheType) {
  using T = TypeParam;
  Array<T> array(world(), {1});
  if (world().rank() == world().size() - 1) {
    EXPECT_EQ(array.swap({0}, std::numeric_limits<T>::max()), 0);
    EXPECT_EQ(array.fetch_add({0}, 1), std::numeric_limits<T>::max());
    EXPECT_EQ(array.swap({0}, 7), std::numeric_limits<T>::min());
    EXPECT_EQ(array.fetch_add({0}, -8), 7);
    EXPECT_EQ(array.fetch_add({0}, 0), -1);
  }
  world().sync();
}

// An array that has counted looks at the position only.
TYPED_TEST(ArrayAtomic, IsCheckedAfterManyAsBeforeTheFirst) {
  using T = TypeParam;
  const int size = world().size();
  Array<T> array(world(), {size, 3}, {.layout = Layout::blocked({1, 3}), .name = "A"});
  std::vector<T> expected;
  for (std::int64_t linear = 0; linear < std::int64_t{3} * size; ++linear)
    expected.push_back(static_cast<T>(3 * size * linear));
  for (int round = 0; round < 3; ++round)  // from block to block and back
    for_each_position({size, 3}, [&](const Index& position, std::int64_t linear) {
      array.fetch_add(position, linear);
    });
  const Index mine{world().rank(), 1};
  for (const Index& position :
       {Index{size, 0}, Index{0, 3}, Index{-1, 0}, Index{0}, Index{0, 0, 0}}) {
    array.fetch_add(mine, 0);
    EXPECT_TRUE(throws_error([&] { array.fetch_add(position, 1); }, ErrorKind::index,
                             {position.to_string(), "'A'"}));
  }
  world().sync();
  EXPECT_TRUE(holds(array, expected));
  world().sync();
  array.set_read_only(true);
  EXPECT_TRUE(throws_error([&] { array.fetch_add(mine, 1); }, ErrorKind::state, {"read-only"}));
  array.set_read_only(false);
  EXPECT_NO_THROW(array.fetch_add(mine, 1));
  array.destroy();
  EXPECT_TRUE(throws_error([&] { array.fetch_add(mine, 1); }, ErrorKind::state, {}));
}

TEST(ArrayAtomicTypes, OtherElementTypesAreATypeError) {
  for (const ElementTraits& traits : element_traits) {
    const ElementType type = traits.type;
    if (can_count(type)) continue;
    AnyArray array(world(), {3}, type, {.name = "floating"});
    const std::vector<std::string> texts{"floating", std::string(name_of(type))};
    EXPECT_TRUE(throws_error([&] { array.fetch_add({0}, 1); }, ErrorKind::type, texts));
    EXPECT_TRUE(throws_error([&] { array.swap({0}, 1); }, ErrorKind::type, texts));
  }
}

TEST(Counter, HandsOutEachValueOnce) {
  Counter counter(world(), 100);
  constexpr std::int64_t tasks = 4000;
  // Ranks take tasks until none is left, at their own speed.
  std::vector<std::int64_t> taken(tasks, 0);
  for (std::int64_t task = counter.next(); task < 100 + tasks; task = counter.next())
    ++taken[static_cast<std::size_t>(task - 100)];
  world().reduce(std::span(taken));
  for (const std::int64_t times : taken) ASSERT_EQ(times, 1);
  world().barrier();
  EXPECT_EQ(counter.value(), 100 + tasks + world().size());
  world().barrier();
}

TEST(Counter, TakesIncrementsAndStartsAgain) {
  Counter counter(world());
  std::vector<std::int64_t> starts;
  for (int i = 0; i < 100; ++i) starts.push_back(counter.next(7));
  std::vector<std::int64_t> all = all_values(world(), starts);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<std::int64_t>(i) * 7);
  counter.reset(-5);
  EXPECT_LT(counter.next(), -5 + world().size());
  world().barrier();
  EXPECT_EQ(counter.value(), -5 + world().size());
  world().barrier();
}

TEST(Counter, ServesAGroup) {
  const Group group = world().split(world().rank() % 2);
  Counter counter(group);
  const std::vector<std::int64_t> mine{counter.next(), counter.next()};
  std::vector<std::int64_t> all = all_values(group, mine);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i));
  group.barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
