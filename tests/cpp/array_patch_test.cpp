// put, get and accumulate of patches: all types, 1 to 8 dimensions, all layouts, any buffer.
#include <cstring>
#include <limits>

#include "user_buffer.hpp"

namespace lagoon::atoll::test {
namespace {

template <Element T>
std::vector<T> marked(const Index& shape, int salt = 0) {
  std::vector<T> values;
  for_each_position(shape, [&](const Index&, std::int64_t linear) {
    values.push_back(marked_value<T>(linear, salt));
  });
  return values;
}

template <class T>
class ArrayPatch : public testing::Test {};
TYPED_TEST_SUITE(ArrayPatch, AllTypes);

TYPED_TEST(ArrayPatch, StartsAsZero) {
  using T = TypeParam;
  for (const Layout& layout : sample_layouts({13, 11}, world().size())) {
    const Array<T> array(world(), {13, 11}, {.layout = layout});
    EXPECT_TRUE(holds(array, std::vector<T>(13 * 11)));
    world().barrier();
  }
}

TYPED_TEST(ArrayPatch, WhatOneRankPutsAllRanksGet) {
  using T = TypeParam;
  for (int dimensions = 1; dimensions <= max_dimensions; ++dimensions) {
    Random random(17 + static_cast<std::uint64_t>(dimensions));
    const Index shape = random_shape(random, dimensions, 700);
    const std::vector<T> values = marked<T>(shape, dimensions);
    for (const Layout& layout : sample_layouts(shape, world().size())) {
      Array<T> array(world(), shape, {.layout = layout});
      SCOPED_TRACE(array.distribution().to_string() + " of " + shape.to_string());
      const int writer = static_cast<int>(random.between(0, world().size() - 1));
      if (world().rank() == writer) array.put(whole(shape), values.data());
      world().sync();
      EXPECT_TRUE(holds(array, values));
      world().barrier();
    }
  }
}

TYPED_TEST(ArrayPatch, EveryRankPutsItsOwnPart) {
  using T = TypeParam;
  const Index shape{41, 29};
  const std::vector<T> values = marked<T>(shape);
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<T> array(world(), shape, {.layout = layout, .zero = false});
    // Rows dealt round robin, whoever owns them.
    for (std::int64_t row = world().rank(); row < shape[0]; row += world().size())
      array.put({{row, 0}, {row + 1, shape[1]}}, values.data() + row * shape[1]);
    world().sync();
    EXPECT_TRUE(holds(array, values));
    world().barrier();
  }
}

TYPED_TEST(ArrayPatch, AnyBufferAndStepGoesInAndComesOutRight) {
  using T = TypeParam;
  Random random(23);
  for (int dimensions = 1; dimensions <= max_dimensions; ++dimensions)
    for (const BufferKind kind : all_buffers) {
      const Index shape = random_shape(random, dimensions, 500);
      const Layout layout = random_layout(random, shape, world().size());
      Array<T> array(world(), shape, {.layout = layout});
      SCOPED_TRACE(array.distribution().to_string() + ", buffer " +
                   std::to_string(static_cast<int>(kind)));
      const Patch patch = random_patch(random, shape, true);
      UserBuffer<T> source(random, patch.shape(), kind);
      source.fill(random);
      if (world().rank() == world().size() - 1) array.put(patch, source.data(), source.strides());
      world().sync();
      std::vector<T> expected(static_cast<std::size_t>(shape.product()));
      for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
        expected[static_cast<std::size_t>(linear_index(array_position(patch, position), shape))] =
            source.at(position);
      });
      EXPECT_TRUE(holds(array, expected)) << "after put " << patch.to_string();
      for (const BufferKind target_kind : gettable_buffers) {
        UserBuffer<T> target(random, patch.shape(), target_kind);
        array.get(patch, target.data(), target.strides());
        EXPECT_TRUE(same_elements(target.packed(), source.packed(), patch.shape()));
        EXPECT_TRUE(target.padding_untouched()) << static_cast<int>(target_kind);
      }
      world().barrier();
    }
}

TYPED_TEST(ArrayPatch, AccumulateAddsAlphaTimesTheBuffer) {
  using T = TypeParam;
  Random random(29);
  for (const Layout& layout : sample_layouts({19, 17}, world().size()))
    for (const BufferKind kind : all_buffers) {
      const Index shape{19, 17};
      Array<T> array(world(), shape, {.layout = layout});
      std::vector<T> expected = marked<T>(shape);
      if (world().rank() == 0) array.put(whole(shape), expected.data());
      world().sync();
      const Patch patch = random_patch(random, shape, random.chance(0.5));
      const T alpha = small_value<T>(random);
      UserBuffer<T> source(random, patch.shape(), kind);
      source.fill(random);
      if (world().rank() == world().size() - 1)
        array.accumulate(patch, source.data(), alpha, source.strides());
      world().sync();
      for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
        const auto i =
            static_cast<std::size_t>(linear_index(array_position(patch, position), shape));
        add_product(expected[i], alpha, source.at(position));
      });
      EXPECT_TRUE(holds(array, expected)) << patch.to_string();
      world().barrier();
    }
}

TYPED_TEST(ArrayPatch, ConcurrentAccumulatesLoseNothing) {
  using T = TypeParam;
  const Index shape{23, 31};
  constexpr int rounds = 40;
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<T> array(world(), shape, {.layout = layout});
    const std::vector<T> ones(static_cast<std::size_t>(shape.product()), number<T>(1));
    std::vector<T> expected(ones.size());
    Random random(31, world().rank());
    // Each rank its own patches, all at once; the totals are known from everybody's seeds.
    for (int round = 0; round < rounds; ++round) {
      const Patch patch = random_patch(random, shape);
      array.accumulate(patch, ones.data(), number<T>(round % 5 + 1));
    }
    world().sync();
    for (int rank = 0; rank < world().size(); ++rank) {
      Random theirs(31, rank);
      for (int round = 0; round < rounds; ++round) {
        const Patch patch = random_patch(theirs, shape);
        for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
          expected[static_cast<std::size_t>(
              linear_index(array_position(patch, position), shape))] += number<T>(round % 5 + 1);
        });
      }
    }
    EXPECT_TRUE(holds(array, expected));
    world().barrier();
  }
}

TYPED_TEST(ArrayPatch, TheUntypedInterfaceDoesTheSame) {
  using T = TypeParam;
  AnyArray array(world(), {12}, element_type_of<T>());
  const std::vector<T> values = marked<T>({12});
  if (world().rank() == 0) {
    array.put(whole({12}), values.data());
    array.accumulate(whole({12}), values.data());  // a null alpha means one
  }
  world().sync();
  std::vector<T> twice(values);
  for (T& value : twice) value = static_cast<T>(value + value);
  std::vector<T> got(12);
  array.get(whole({12}), got.data());
  EXPECT_TRUE(same_elements(got, twice, {12}));
  EXPECT_EQ(array.type(), element_type_of<T>());
  world().barrier();
}

TEST(EmptyPatch, IsNoOperation) {
  Array<double> array(world(), {6, 6});
  for (const Patch& patch : {Patch{{3, 0}, {3, 6}}, Patch{{6, 6}, {6, 6}}, Patch{{0, 2}, {6, 2}}}) {
    array.put(patch, nullptr);
    array.get(patch, nullptr);
    array.accumulate(patch, nullptr);
    array.put_async(patch, nullptr).wait();
    Handle handle = array.get_async(patch, nullptr);
    EXPECT_TRUE(handle.test());
  }
  array.gather({}, nullptr);
  array.scatter({}, nullptr);
  array.scatter_accumulate({}, nullptr);
  world().sync();
  EXPECT_TRUE(holds(array, std::vector<double>(36)));
  world().barrier();
}

TEST(ZeroLengthArray, ExistsAndHoldsNothing) {
  for (const Index& shape : {Index{0}, Index{0, 5}, Index{4, 0, 3}}) {
    Array<double> array(world(), shape);
    EXPECT_EQ(array.elements(), 0);
    EXPECT_EQ(array.shape(), shape);
    array.put(whole(shape), nullptr);
    array.get(whole(shape), nullptr);
    EXPECT_TRUE(array.locate(whole(shape)).empty());
    for (int rank = 0; rank < world().size(); ++rank)
      EXPECT_EQ(array.distribution().local_elements(rank), 0);
    const Array<double> other = array.duplicate();
    EXPECT_EQ(other.elements(), 0);
    world().sync();
  }
}

TEST(SmallArray, MoreRanksThanElementsIsFine) {
  for (const Index& shape : {Index{1}, Index{2}, Index{1, 1, 1}, Index{3, 1}}) {
    Array<std::int64_t> array(world(), shape);
    const auto n = static_cast<std::size_t>(shape.product());
    const std::vector<std::int64_t> ones(n, 1);
    for (int i = 0; i < 10; ++i) array.accumulate(whole(shape), ones.data());
    world().sync();
    EXPECT_TRUE(holds(array, std::vector<std::int64_t>(n, 10 * world().size())));
    world().barrier();
  }
}

TEST(GroupArray, LivesOnItsGroupOnly) {
  const Group group = world().split(world().rank() % 2, -world().rank());
  Array<double> array(group, {9, 5}, {.name = "half"});
  EXPECT_EQ(array.group(), group);
  EXPECT_EQ(array.name(), "half");
  EXPECT_EQ(array.distribution().ranks(), group.size());
  const std::vector<double> ones(45, 1.0);
  array.accumulate(whole({9, 5}), ones.data(), world().rank() % 2 + 1.0);
  group.sync();
  EXPECT_TRUE(holds(array, std::vector<double>(45, group.size() * (world().rank() % 2 + 1.0))));
  group.barrier();
}

TEST(SpecialNumbers, TravelBitForBit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{nan, -0.0, std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::denorm_min(), -nan};
  Array<double> array(world(), {5});
  if (world().rank() == 0) array.put(whole({5}), values.data());
  world().sync();
  std::vector<double> got(5);
  array.get(whole({5}), got.data());
  EXPECT_EQ(std::memcmp(got.data(), values.data(), sizeof(double) * 5), 0);
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
