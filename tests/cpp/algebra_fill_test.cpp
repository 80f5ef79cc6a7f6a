// zero and fill, of whole arrays and of patches with steps, against a loop over positions.
#include <gtest/gtest.h>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class AlgebraFill : public testing::Test {};
TYPED_TEST_SUITE(AlgebraFill, AllTypes);

TYPED_TEST(AlgebraFill, WholeArrays) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(31);
    for (int i = 0; i < 12; ++i) {
      const Index shape = algebra_shape(random, 500);
      const auto count = static_cast<std::size_t>(shape.product());
      Array<T> a(group, shape, {random_layout(random, shape, group.size()), "a", false});
      const T value = small_value<T>(random);
      fill(a, value);
      EXPECT_TRUE(holds(a, std::vector<T>(count, value)));
      zero(a);
      EXPECT_TRUE(holds(a, std::vector<T>(count, T{})));
    }
  });
}

TYPED_TEST(AlgebraFill, PatchesWithStepsAndNothingElse) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(32);
    for (int i = 0; i < 16; ++i) {
      const Index shape = algebra_shape(random, 500);
      std::vector<T> values = small_values<T>(random, shape);
      Array<T> a = array_with(group, shape, values, random_layout(random, shape, group.size()));
      for (const bool to_zero : {false, true}) {
        const Patch patch = random_patch(random, shape, random.chance(0.7));
        SCOPED_TRACE(patch.to_string() + " of " + shape.to_string());
        const T value = to_zero ? T{} : small_value<T>(random);
        for_each_position(patch.shape(), [&](const Index& at, std::int64_t) {
          const std::int64_t number = linear_index(array_position(patch, at), shape);
          values[static_cast<std::size_t>(number)] = value;
        });
        if (to_zero)
          zero({a, patch});
        else
          fill({a, patch}, value);
        EXPECT_TRUE(holds(a, values));
      }
    }
  });
}

TEST(AlgebraFillEdges, EmptyPatchesChangeNothing) {
  Array<double> a(world(), {6, 6});
  fill(a, 3.0);
  fill({a, {{2, 2}, {2, 5}, {}}}, 4.0);
  zero({a, {{6, 0}, {6, 6}, {}}});
  EXPECT_TRUE(holds(a, std::vector<double>(36, 3.0)));
}

TEST(AlgebraFillEdges, SeesEarlierPutsOfOtherRanks) {
  Array<std::int64_t> a(world(), {100});
  const std::vector<std::int64_t> mine(100, world().rank() + 1);
  a.put(whole(a.shape()), mine.data());
  fill(a, 7);  // no sync in between: fill synchronises
  EXPECT_TRUE(holds(a, std::vector<std::int64_t>(100, 7)));
}

TEST(AlgebraFillEdges, NumbersOfOtherKinds) {
  Array<std::int32_t> whole_numbers(world(), {9});
  fill(whole_numbers, 4.0);
  EXPECT_TRUE(holds(whole_numbers, std::vector<std::int32_t>(9, 4)));
  Array<std::complex<float>> complex_numbers(world(), {9});
  fill(complex_numbers, 2);
  EXPECT_TRUE(holds(complex_numbers, std::vector<std::complex<float>>(9, {2, 0})));
  const auto fills = [](AnyArray& array, const Scalar& value, ErrorKind kind) {
    return all_throw_error(world(), [&] { fill(array, value); }, kind, {"fill", "the value"});
  };
  EXPECT_TRUE(fills(whole_numbers, 2.5, ErrorKind::type));
  EXPECT_TRUE(fills(whole_numbers, std::nan(""), ErrorKind::type));
  EXPECT_TRUE(fills(whole_numbers, std::complex<double>(1, 1), ErrorKind::type));
  EXPECT_TRUE(fills(whole_numbers, std::int64_t{1} << 31, ErrorKind::value));
  EXPECT_TRUE(fills(whole_numbers, 1e10, ErrorKind::value));
  Array<double> reals(world(), {9});
  EXPECT_TRUE(fills(reals, std::complex<double>(0, 1), ErrorKind::type));
  fill(reals, std::complex<double>(5, 0));
  EXPECT_TRUE(holds(reals, std::vector<double>(9, 5)));
}

TEST(AlgebraFillEdges, PatchesOutsideAreIndexErrors) {
  Array<float> a(world(), {5, 6}, {{}, "A"});
  const auto refuses = [&](const Patch& patch, ErrorKind kind) {
    return all_throw_error(world(), [&] { fill({a, patch}, 1); }, kind, {"fill"}) &&
           all_throw_error(world(), [&] { zero({a, patch}); }, kind, {"zero"});
  };
  EXPECT_TRUE(refuses({{0, 0}, {5, 7}, {}}, ErrorKind::index));
  EXPECT_TRUE(refuses({{-1, 0}, {5, 6}, {}}, ErrorKind::index));
  EXPECT_TRUE(refuses({{3, 0}, {2, 6}, {}}, ErrorKind::index));
  EXPECT_TRUE(refuses({{0}, {5}, {}}, ErrorKind::index));
  EXPECT_TRUE(refuses({{0, 0}, {5, 6}, {1}}, ErrorKind::index));
  EXPECT_TRUE(refuses({{0, 0}, {5, 6}, {1, 0}}, ErrorKind::value));
  EXPECT_TRUE(holds(a, std::vector<float>(30, 0)));
}

}  // namespace
}  // namespace lagoon::atoll::test
