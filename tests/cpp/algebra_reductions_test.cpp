// sum, dot, norm and the extrema against serial loops in wider types; NaN, ties, overflow, wrap.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

using Exact = std::complex<long double>;

template <Element T>
Exact exact(T value) {
  if constexpr (is_complex(element_type_of<T>()))
    return {static_cast<long double>(value.real()), static_cast<long double>(value.imag())};
  else
    return {static_cast<long double>(value), 0};
}

/// Small values have exact sums, whatever the order.
void expect_number(const Scalar& actual, Exact expected) {
  const auto number = actual.as<std::complex<double>>();
  EXPECT_EQ(number.real(), static_cast<double>(expected.real()));
  EXPECT_EQ(number.imag(), static_cast<double>(expected.imag()));
}

template <class T>
class AlgebraReductions : public testing::Test {};
TYPED_TEST_SUITE(AlgebraReductions, AllTypes);

TYPED_TEST(AlgebraReductions, SumAndDot) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(71);
    for (int i = 0; i < 12; ++i) {
      const Index shape = algebra_shape(random, i < 9 ? 500 : 20000);
      const auto x = small_values<T>(random, shape), y = small_values<T>(random, shape);
      const Layout layout = random_layout(random, shape, group.size());
      const Array<T> a = array_with(group, shape, x, layout);
      const Array<T> b =
          array_with(group, shape, y,
                     random.chance(0.5) ? layout : random_layout(random, shape, group.size()));
      Exact sum_x{}, dot_xy{}, dot_xx{};
      for (std::size_t k = 0; k < x.size(); ++k) {
        sum_x += exact(x[k]);
        dot_xy += exact(x[k]) * exact(y[k]);
        dot_xx += exact(x[k]) * exact(x[k]);
      }
      expect_number(sum(a), sum_x);
      expect_number(dot(a, b), dot_xy);
      expect_number(dot(a, a), dot_xx);
    }
  });
}

TYPED_TEST(AlgebraReductions, Norms) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(72);
    for (int i = 0; i < 12; ++i) {
      const Index shape = algebra_shape(random, i < 9 ? 500 : 20000);
      const auto x = small_values<T>(random, shape);
      const Array<T> a = array_with(group, shape, x, random_layout(random, shape, group.size()));
      long double one = 0, squares = 0, largest = 0;
      for (const T value : x) {
        const long double size = std::abs(exact(value));
        one += size;
        squares += std::norm(exact(value));
        largest = std::max(largest, size);
      }
      const auto near = [](double actual, long double expected) {
        return std::abs(static_cast<long double>(actual) - expected) <= 1e-13L * expected;
      };
      EXPECT_TRUE(near(norm(a, Norm::one), one));
      EXPECT_TRUE(near(norm(a), std::sqrt(squares)));
      EXPECT_TRUE(near(norm(a, Norm::infinity), largest));
    }
  });
}

TYPED_TEST(AlgebraReductions, DotOfWhatIsFetchedInSeveralBatches) {
  using T = TypeParam;
  Random random(73);
  const Index shape{401, 1111};
  const auto x = small_values<T>(random, shape), y = small_values<T>(random, shape);
  const Array<T> a = array_with(world(), shape, x, Layout::block_cyclic({64, 100}));
  const Array<T> b = array_with(world(), shape, y, Layout::blocked({401, 1}));
  Exact expected{};
  for (std::size_t k = 0; k < x.size(); ++k) expected += exact(x[k]) * exact(y[k]);
  expect_number(dot(a, b), expected);
}

TEST(AlgebraSums, IntegersWrapModulo2To64) {
  constexpr std::int64_t large = std::int64_t{3} << 61;  // 6.9e18; the sum of 5 wraps
  const Array<std::int64_t> a = array_with(world(), {5}, std::vector<std::int64_t>(5, large), {});
  std::uint64_t expected = 0;
  for (int i = 0; i < 5; ++i) expected += static_cast<std::uint64_t>(large);
  EXPECT_EQ(sum(a).as<std::int64_t>(), static_cast<std::int64_t>(expected));
  const auto square = static_cast<std::uint64_t>(large) * static_cast<std::uint64_t>(large);
  EXPECT_EQ(dot(a, a).as<std::int64_t>(), static_cast<std::int64_t>(5 * square));
}

TEST(AlgebraSums, SmallIntegersDoNotWrapAtTheirOwnWidth) {
  const std::vector<std::int32_t> x(9, std::numeric_limits<std::int32_t>::max());
  const Array<std::int32_t> a = array_with(world(), {9}, x, {});
  const std::int64_t one = x[0];
  EXPECT_EQ(sum(a).as<std::int64_t>(), 9 * one);
  Array<std::int32_t> b(world(), {2});
  fill(b, x[0]);
  EXPECT_EQ(dot(b, b).as<std::int64_t>(), 2 * one * one);
}

TEST(AlgebraSums, BytesDoNotWrapAtTheirOwnWidth) {
  const Array<std::uint8_t> a =
      array_with(world(), {9}, std::vector<std::uint8_t>(9, std::uint8_t{255}), {});
  EXPECT_EQ(sum(a).as<std::int64_t>(), 9 * 255);
  EXPECT_EQ(dot(a, a).as<std::int64_t>(), 9 * 255 * 255);
}

TEST(AlgebraSums, AreAccurateAndTheSameEveryTime) {
  constexpr std::int64_t count = 3000001;
  Array<double> a(world(), {count});
  random_fill(a, 1);
  std::vector<double> x(count);
  a.get(whole(a.shape()), x.data());
  const long double exact_sum = std::accumulate(x.begin(), x.end(), 0.0L);
  const double first = sum(a).as<double>();
  EXPECT_LT(std::abs(static_cast<double>(first - exact_sum) / first), 1e-15);
  const double squares = dot(a, a).as<double>();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(sum(a).as<double>(), first);
    EXPECT_EQ(dot(a, a).as<double>(), squares);
  }
  Array<float> small(world(), {count});
  fill(small, 0.1);
  EXPECT_DOUBLE_EQ(sum(small).as<double>(), static_cast<double>(0.1F) * count);
}

TEST(AlgebraSums, EmptyArraysSumToZero) {
  const Array<double> a(world(), {0, 3});
  EXPECT_EQ(sum(a).as<double>(), 0);
  EXPECT_EQ(dot(a, a).as<double>(), 0);
  for (const Norm kind : {Norm::one, Norm::two, Norm::infinity}) EXPECT_EQ(norm(a, kind), 0);
}

TEST(AlgebraNorms, NeitherOverflowNorVanish) {
  for (const double scale_by : {1e200, 1e-200, 5e-324, 1e308}) {
    const Array<double> a = array_with<double>(world(), {2}, {scale_by, 0}, {});
    EXPECT_EQ(norm(a), scale_by);
  }
  const Array<double> b = array_with<double>(world(), {2}, {3e200, 4e200}, {});
  EXPECT_DOUBLE_EQ(norm(b), 5e200);
  const Array<std::complex<double>> c =
      array_with<std::complex<double>>(world(), {1}, {{3e-200, 4e-200}}, {});
  EXPECT_DOUBLE_EQ(norm(c), 5e-200);
}

TEST(AlgebraNorms, OfNotANumberAndInfinity) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   infinity = std::numeric_limits<double>::infinity();
  for (std::size_t where = 0; where < 40; where += 13) {
    std::vector<double> x(40, 1);
    x[where] = -infinity;
    Array<double> a = array_with(world(), {40}, x, {});
    for (const Norm kind : {Norm::one, Norm::two, Norm::infinity})
      EXPECT_EQ(norm(a, kind), infinity);
    x[39 - where] = nan;
    store(a, x);
    for (const Norm kind : {Norm::one, Norm::two, Norm::infinity})
      EXPECT_TRUE(std::isnan(norm(a, kind)));
  }
}

TEST(AlgebraNorms, OfTheLowestInteger) {
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const Array<std::int64_t> a = array_with<std::int64_t>(world(), {1}, {lowest}, {});
  for (const Norm kind : {Norm::one, Norm::two, Norm::infinity}) EXPECT_EQ(norm(a, kind), 0x1p63);
}

template <class T>
class AlgebraExtrema : public testing::Test {};
using OrderedTypes = testing::Types<std::int32_t, std::int64_t, float, double, std::uint8_t>;
TYPED_TEST_SUITE(AlgebraExtrema, OrderedTypes);

/// The first best element by a plain loop; NaN is best.
template <class T, class Better>
std::int64_t serial_extremum(const std::vector<T>& x, Better&& better) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[best] == x[best] && (x[i] != x[i] || better(x[i], x[best]))) best = i;
  return static_cast<std::int64_t>(best);
}

template <class T>
void expect_extremum(const Extremum& actual, const std::vector<T>& x, std::int64_t number,
                     const Index& shape) {
  EXPECT_EQ(linear_index(actual.position, shape), number);
  const T expected = x[static_cast<std::size_t>(number)];
  const T value = actual.value.as<T>();
  EXPECT_TRUE(value == expected || (value != value && expected != expected)) << value;
}

TYPED_TEST(AlgebraExtrema, FirstPositionInRowMajorOrder) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(74);
    for (int i = 0; i < 24; ++i) {
      const Index shape =
          random_shape(random, static_cast<int>(random.between(1, 8)), i < 18 ? 300 : 6000);
      std::vector<T> x(static_cast<std::size_t>(shape.product()));
      const std::int64_t reach = i % 2 == 0 ? 2 : 3000;  // many ties, few ties
      for (T& value : x) value = static_cast<T>(random.between(-reach, reach));
      if constexpr (std::is_floating_point_v<T>)
        if (i % 4 == 0)
          for (int k = 0; k < 3; ++k)
            x[static_cast<std::size_t>(random.between(0, std::ssize(x) - 1))] =
                std::numeric_limits<T>::quiet_NaN();
      const Array<T> a = array_with(group, shape, x, random_layout(random, shape, group.size()));
      SCOPED_TRACE(shape.to_string() + " " + a.distribution().to_string());
      expect_extremum(minimum_element(a), x, serial_extremum(x, std::less<T>()), shape);
      expect_extremum(maximum_element(a), x, serial_extremum(x, std::greater<T>()), shape);
    }
  });
}

TYPED_TEST(AlgebraExtrema, OfTheTypesOwnLimits) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const T value : {Limits::lowest(), Limits::max(), T(0)}) {
    const Array<T> a = array_with(world(), {3, 3}, std::vector<T>(9, value), {});
    for (const Extremum& extremum : {minimum_element(a), maximum_element(a)}) {
      EXPECT_EQ(extremum.value.as<T>(), value);
      EXPECT_EQ(extremum.position, (Index{0, 0}));
    }
  }
}

TEST(AlgebraExtremaEdges, ZerosOfEitherSignAreEqual) {
  const Array<double> a = array_with<double>(world(), {4}, {1, -0.0, 0.0, 2}, {});
  const Extremum extremum = minimum_element(a);
  EXPECT_EQ(extremum.position, (Index{1}));
  EXPECT_TRUE(std::signbit(extremum.value.as<double>()));
}

TEST(AlgebraExtremaEdges, EmptyAndComplexArraysHaveNone) {
  const Array<double> empty(world(), {3, 0}, {{}, "E"});
  EXPECT_TRUE(all_throw_error(world(), [&] { minimum_element(empty); }, ErrorKind::value,
                              {"minimum_element", "no elements", "'E'"}));
  const Array<std::complex<float>> complex(world(), {3});
  EXPECT_TRUE(all_throw_error(world(), [&] { maximum_element(complex); }, ErrorKind::type,
                              {"maximum_element", "complex64"}));
}

}  // namespace
}  // namespace lagoon::atoll::test
