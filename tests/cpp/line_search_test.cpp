// Steps to the bounds against plain loops, and the corner cases: no bound in reach, bounds already
// met, infinities and NaN.
#include "atoll/line_search.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
class LineSearch : public testing::Test {};
using OrderedTypes = testing::Types<std::int32_t, std::int64_t, float, double, std::uint8_t>;
TYPED_TEST_SUITE(LineSearch, OrderedTypes);

/// A vector anyhow distributed, whose elements from `first` on, each second one, are these.
template <Element T>
Array<T> hiding(Random& random, const Group& group, const std::vector<T>& values, Patch& patch) {
  const auto count = static_cast<std::int64_t>(values.size());
  const std::int64_t first = random.between(0, 3), length = first + 2 * count + 1;
  patch = {{first}, {first + 2 * count}, {2}};
  Array<T> array(group, {length}, {random_layout(random, {length}, group.size()), "hiding"});
  fill(array, number<T>(-1000));  // outside the patch, where it must not count
  group.sync();
  if (group.rank() == 0) array.put(patch, values.data());
  group.sync();
  return array;
}

TYPED_TEST(LineSearch, StepMaxIsTheLeastQuotient) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(171);
    for (int i = 0; i < 10; ++i) {
      const Index shape = random_shape(random, 1, 60);
      std::vector<T> x = small_values<T>(random, shape), v = small_values<T>(random, shape);
      double expected = infinity;
      for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = magnitude(x[k]);
        if (v[k] < 0)
          expected = std::min(expected, static_cast<double>(x[k]) / -static_cast<double>(v[k]));
      }
      const auto layout = [&] { return random_layout(random, shape, group.size()); };
      EXPECT_EQ(
          step_max(array_with(group, shape, x, layout()), array_with(group, shape, v, layout())),
          expected);
      Patch p, q;
      const Array<T> a = hiding(random, group, x, p), b = hiding(random, group, v, q);
      EXPECT_EQ(step_max({a, p}, {b, q}), expected);
    }
  });
}

TYPED_TEST(LineSearch, BoundsAreThoseInTheDirectionOfTheStep) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(172);
    for (int i = 0; i < 10; ++i) {
      const Index shape = random_shape(random, 1, 60);
      const std::vector<T> x = small_values<T>(random, shape), v = small_values<T>(random, shape);
      std::vector<T> lower = x, upper = x;
      double least = infinity, positive = infinity, largest = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        lower[k] = static_cast<T>(lower[k] - static_cast<T>(random.between(0, 5)));
        upper[k] = static_cast<T>(upper[k] + static_cast<T>(random.between(0, 5)));
        if (v[k] == 0) continue;
        const double t = static_cast<double>((v[k] < 0 ? lower[k] : upper[k]) - x[k]) /
                         static_cast<double>(v[k]);
        least = std::min(least, t);
        if (t > 0) positive = std::min(positive, t);
        largest = std::max(largest, t);
      }
      const auto is = [&](const StepBounds& bounds) {
        EXPECT_EQ(bounds.bound_min, least);
        EXPECT_EQ(bounds.wolfe_min, positive);
        EXPECT_EQ(bounds.bound_max, largest);
      };
      const auto with = [&](const std::vector<T>& values) {
        return array_with(group, shape, values, random_layout(random, shape, group.size()));
      };
      is(step_bound_info(with(x), with(v), with(lower), with(upper)));
      Patch p, q, r, s;
      const Array<T> a = hiding(random, group, x, p), b = hiding(random, group, v, q),
                     c = hiding(random, group, lower, r), d = hiding(random, group, upper, s);
      is(step_bound_info({a, p}, {b, q}, {c, r}, {d, s}));
    }
  });
}

Array<double> vector_of(const std::vector<double>& values) {
  return array_with(world(), {static_cast<std::int64_t>(values.size())}, values,
                    Layout::block_cyclic({1}), "x");
}

TEST(LineSearchCorners, NoBoundInReachIsInfinity) {
  const Array<double> x = vector_of({1, 0, 2}), up = vector_of({1, 0, 3}), empty(world(), {0});
  EXPECT_EQ(step_max(x, up), infinity);
  EXPECT_EQ(step_max(empty, empty), infinity);
  const StepBounds bounds = step_bound_info(x, vector_of({0, 0, 0}), x, x);
  EXPECT_EQ(bounds.bound_min, infinity);
  EXPECT_EQ(bounds.wolfe_min, infinity);
  EXPECT_EQ(bounds.bound_max, 0);
}

TEST(LineSearchCorners, AtABoundOnlyTheOthersCountAsStepsAhead) {
  const StepBounds bounds = step_bound_info(vector_of({0, 1, 5}), vector_of({-1, 2, 1}),
                                            vector_of({0, 0, 0}), vector_of({1, 3, infinity}));
  EXPECT_EQ(bounds.bound_min, 0);
  EXPECT_EQ(bounds.wolfe_min, 1);
  EXPECT_EQ(bounds.bound_max, infinity);
  EXPECT_EQ(step_max(vector_of({0, 3}), vector_of({-1, -1})), 0);
}

TEST(LineSearchCorners, BeyondABoundTheStepBackIsNegative) {
  const StepBounds bounds =
      step_bound_info(vector_of({5}), vector_of({1}), vector_of({0}), vector_of({3}));
  EXPECT_EQ(bounds.bound_min, -2);
  EXPECT_EQ(bounds.wolfe_min, infinity);
  EXPECT_EQ(bounds.bound_max, 0);
}

TEST(LineSearchCorners, NaNIsPassedOn) {
  const Array<double> x = vector_of({1, 2}), one = vector_of({-1, 1});
  EXPECT_TRUE(std::isnan(step_max(vector_of({1, nan}), one)));
  EXPECT_TRUE(std::isnan(step_max(x, vector_of({-1, nan}))));
  EXPECT_TRUE(std::isnan(step_bound_info(x, one, vector_of({nan, 0}), x).bound_max));
  EXPECT_EQ(step_bound_info(x, one, x, vector_of({nan, 4})).bound_max, 2);  // not met going down
}

TEST(LineSearchCorners, NegativeNumbersAndComplexOnesAreRefused) {
  const Array<double> x = vector_of({1, -2, 3}), v = vector_of({1, 1, 1});
  EXPECT_TRUE(all_throw_error(world(), [&] { step_max(x, v); }, ErrorKind::value,
                              {"step_max", "'x'", "1 negative number"}));
  const Patch begin{{0}, {1}, {}};
  EXPECT_EQ(step_max({x, begin}, {v, begin}), infinity);
  const Array<std::complex<float>> c(world(), {3});
  EXPECT_TRUE(all_throw_error(world(), [&] { step_max(c, c); }, ErrorKind::type, {"order"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { step_bound_info(x, v, x, vector_of({1, 2})); },
                              ErrorKind::value, {"step_bound_info", "(2)", "(3)"}));
}

}  // namespace
}  // namespace lagoon::atoll::test
