// Scattered elements: gather, scatter, scatter_accumulate, with positions that occur twice.
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

struct Positions {
  std::vector<Index> list;
  std::vector<std::int64_t> flat;

  void add(const Index& position) {
    list.push_back(position);
    flat.insert(flat.end(), position.begin(), position.end());
  }
};

Positions random_positions(Random& random, const Index& shape, int count) {
  Positions positions;
  for (int i = 0; i < count; ++i) positions.add(random_position(random, shape));
  return positions;
}

template <class T>
class ArrayScatter : public testing::Test {};
TYPED_TEST_SUITE(ArrayScatter, AllTypes);

TYPED_TEST(ArrayScatter, GatherReadsAnyPositionsInTheirOrder) {
  using T = TypeParam;
  Random random(41);
  for (int dimensions = 1; dimensions <= max_dimensions; ++dimensions) {
    const Index shape = random_shape(random, dimensions, 900);
    for (const Layout& layout : sample_layouts(shape, world().size())) {
      Array<T> array(world(), shape, {.layout = layout});
      std::vector<T> values(static_cast<std::size_t>(shape.product()));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = marked_value<T>(static_cast<std::int64_t>(i));
      if (world().rank() == 0) array.put(whole(shape), values.data());
      world().sync();
      const Positions positions = random_positions(random, shape, 200);
      std::vector<T> got(200);
      array.gather(positions.flat, got.data());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], values[static_cast<std::size_t>(linear_index(positions.list[i], shape))])
            << positions.list[i].to_string();
      world().barrier();
    }
  }
}

TYPED_TEST(ArrayScatter, OfTwoValuesForOnePositionTheLaterStays) {
  using T = TypeParam;
  Random random(43);
  const Index shape{7, 6};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<T> array(world(), shape, {.layout = layout});
    std::vector<T> expected(42);
    // Far more positions than elements: nearly all occur several times.
    const Positions positions = random_positions(random, shape, 300);
    std::vector<T> values(300);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = marked_value<T>(static_cast<std::int64_t>(i), 3);
      expected[static_cast<std::size_t>(linear_index(positions.list[i], shape))] = values[i];
    }
    if (world().rank() == world().size() - 1) array.scatter(positions.flat, values.data());
    world().sync();
    EXPECT_TRUE(holds(array, expected));
    world().barrier();
  }
}

TYPED_TEST(ArrayScatter, AccumulateCountsEveryDuplicateOfEveryRank) {
  using T = TypeParam;
  const Index shape{5, 4, 3};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<T> array(world(), shape, {.layout = layout});
    std::vector<T> expected(60);
    const T alpha = number<T>(3);
    for (int rank = 0; rank < world().size(); ++rank) {
      Random random(47, rank);
      const Positions positions = random_positions(random, shape, 500);
      std::vector<T> values(500);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = small_value<T>(random);
        add_product(expected[static_cast<std::size_t>(linear_index(positions.list[i], shape))],
                    alpha, values[i]);
      }
      if (rank == world().rank()) array.scatter_accumulate(positions.flat, values.data(), alpha);
    }
    world().sync();
    EXPECT_TRUE(holds(array, expected));
    world().barrier();
  }
}

TEST(ArrayScatterLarge, HundredThousandPositionsInOneCall) {
  const Index shape{300, 200};
  Array<std::int64_t> array(world(), shape);
  Random random(53, world().rank());
  const Positions positions = random_positions(random, shape, 100'000);
  const std::vector<std::int64_t> ones(100'000, 1);
  array.scatter_accumulate(positions.flat, ones.data());
  world().sync();
  std::vector<std::int64_t> got(60'000);
  array.get(whole(shape), got.data());
  std::int64_t total = 0;
  for (const std::int64_t value : got) total += value;
  EXPECT_EQ(total, 100'000 * static_cast<std::int64_t>(world().size()));
  std::vector<std::int64_t> gathered(100'000);
  array.gather(positions.flat, gathered.data());
  for (std::size_t i = 0; i < gathered.size(); i += 11)
    ASSERT_EQ(gathered[i], got[static_cast<std::size_t>(linear_index(positions.list[i], shape))]);
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
