// Element-wise operations against plain loops: all types, 1 to 8 dimensions, arrays that lie alike
// and differently, outputs that are inputs, and subsets of the ranks.
#include <gtest/gtest.h>

#include <limits>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class AlgebraElementwise : public testing::Test {
 protected:
  using Operation = std::function<void(const View&, const View&, const MutableView&)>;
  using Serial = std::function<T(T, T)>;

  /// c = operation(a, b) in every arrangement, against `serial`. `divisors`: no zeros in b.
  static void check(std::uint64_t seed, const Operation& operation, const Serial& serial,
                    bool divisors = false, bool rounded = false) {
    for_each_group([&](const Group& group) {
      Random random(seed);
      for (int i = 0; i < 8; ++i) check_once(random, group, operation, serial, divisors, rounded);
    });
  }

  static void check_once(Random& random, const Group& group, const Operation& operation,
                         const Serial& serial, bool divisors, bool rounded) {
    const Index shape = algebra_shape(random, 400);
    const std::vector<T> x = small_values<T>(random, shape);
    std::vector<T> y = small_values<T>(random, shape);
    if (divisors)
      for (T& value : y)
        if (value == T{}) value = T(1);
    const Layout layout = random_layout(random, shape, group.size());
    const auto other = [&] {
      return random.chance(0.5) ? layout : random_layout(random, shape, group.size());
    };
    Array<T> a = array_with(group, shape, x, layout, "a");
    Array<T> b = array_with(group, shape, y, other(), "b");
    const auto result_is = [&](const Array<T>& c, const std::vector<T>& expected) {
      SCOPED_TRACE(c.distribution().to_string());
      EXPECT_TRUE(rounded ? nearly_holds(c, expected) : holds(c, expected));
    };
    Array<T> c(group, shape, {other(), "c", false});
    operation(a, b, c);
    result_is(c, serially(x, y, serial));
    EXPECT_TRUE(holds(a, x));
    EXPECT_TRUE(holds(b, y));
    operation(a, b, a);
    result_is(a, serially(x, y, serial));
    store(a, x);
    operation(a, b, b);
    result_is(b, serially(x, y, serial));
    if (!divisors) {
      operation(a, a, a);
      result_is(a, serially(x, x, serial));
    }
  }
};
TYPED_TEST_SUITE(AlgebraElementwise, AllTypes);

TYPED_TEST(AlgebraElementwise, Add) {
  using T = TypeParam;
  const T factor = number<T>(-2);  // of bytes 254
  this->check(
      41, [&](const View& a, const View& b, const MutableView& c) { add(3, a, factor, b, c); },
      [&](T x, T y) { return T(3) * x + factor * y; });
}

TYPED_TEST(AlgebraElementwise, Multiply) {
  using T = TypeParam;
  const auto operation = [](const View& a, const View& b, const MutableView& c) {
    multiply(a, b, c);
  };
  this->check(42, operation, [](T x, T y) { return x * y; });
}

TYPED_TEST(AlgebraElementwise, OneNumberAndTheNegative) {
  using T = TypeParam;
  const auto with = [this](NumberOperation operation, auto serial, bool divides = false) {
    this->check(
        40,
        [&](const View& a, const View&, const MutableView& c) { with_number(operation, a, 3, c); },
        [&](T x, T) { return static_cast<T>(serial(x)); }, false, divides);
  };
  with(NumberOperation::plus, [](T x) { return x + T(3); });
  with(NumberOperation::minus, [](T x) { return x - T(3); });
  with(NumberOperation::from, [](T x) { return T(3) - x; });
  with(NumberOperation::times, [](T x) { return x * T(3); });
  this->check(
      39, [](const View& a, const View&, const MutableView& c) { negative(a, c); },
      [](T x, T) { return static_cast<T>(-x); });
  if constexpr (is_integer(element_type_of<T>())) {
    Array<T> a(world(), {3});
    EXPECT_TRUE(all_throw_error(world(), [&] { with_number(NumberOperation::over, a, 3, a); },
                                ErrorKind::type, {"divide"}));
  } else {
    with(NumberOperation::over, [](T x) { return x / T(3); }, is_complex(element_type_of<T>()));
  }
}

TYPED_TEST(AlgebraElementwise, Divide) {
  using T = TypeParam;
  constexpr bool complex = is_complex(element_type_of<T>());
  this->check(
      43, [](const View& a, const View& b, const MutableView& c) { EXPECT_EQ(divide(a, b, c), 0); },
      [](T x, T y) { return x / y; }, true, complex);
}

TYPED_TEST(AlgebraElementwise, MinimumAndMaximum) {
  using T = TypeParam;
  if constexpr (is_complex(element_type_of<T>())) {
    Array<T> a(world(), {3});
    EXPECT_TRUE(all_throw_error(world(), [&] { minimum(a, a, a); }, ErrorKind::type, {"order"}));
    EXPECT_TRUE(all_throw_error(world(), [&] { maximum(a, a, a); }, ErrorKind::type, {"order"}));
  } else {
    const auto least = [](const View& a, const View& b, const MutableView& c) { minimum(a, b, c); };
    const auto most = [](const View& a, const View& b, const MutableView& c) { maximum(a, b, c); };
    this->check(44, least, [](T x, T y) { return std::min(x, y); });
    this->check(45, most, [](T x, T y) { return std::max(x, y); });
  }
}

TYPED_TEST(AlgebraElementwise, Absolute) {
  using T = TypeParam;
  this->check(
      46, [](const View& a, const View&, const MutableView& c) { absolute(a, c); },
      [](T x, T) { return magnitude(x); }, false, is_complex(element_type_of<T>()));
}

TYPED_TEST(AlgebraElementwise, Reciprocal) {
  using T = TypeParam;
  if constexpr (is_integer(element_type_of<T>())) {
    Array<T> a(world(), {3});
    EXPECT_TRUE(
        all_throw_error(world(), [&] { reciprocal(a, a); }, ErrorKind::type, {"reciprocal"}));
  } else {
    this->check(
        47, [](const View&, const View& b, const MutableView& c) { reciprocal(b, c); },
        [](T, T y) { return T(1) / y; }, true, is_complex(element_type_of<T>()));
  }
}

TYPED_TEST(AlgebraElementwise, Scale) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(48);
    for (int i = 0; i < 8; ++i) {
      const Index shape = algebra_shape(random, 400);
      std::vector<T> values = small_values<T>(random, shape);
      Array<T> a = array_with(group, shape, values, random_layout(random, shape, group.size()));
      const T factor = small_value<T>(random);
      scale(a, factor);
      for (T& value : values) value = static_cast<T>(value * factor);
      EXPECT_TRUE(holds(a, values));
    }
  });
}

TYPED_TEST(AlgebraElementwise, ArraysLargerThanWhatIsFetchedAtATime) {
  using T = TypeParam;
  Random random(49);
  const Index shape{401, 1111};
  const auto x = small_values<T>(random, shape), y = small_values<T>(random, shape);
  const Array<T> a = array_with(world(), shape, x, Layout::block_cyclic({64, 100}));
  const Array<T> b = array_with(world(), shape, y, Layout::blocked({401, 1}));
  Array<T> c(world(), shape, {Layout::tiled({100, 250}), "c", false});
  add(1, a, 2, b, c);
  EXPECT_TRUE(holds(c, serially(x, y, [](T u, T v) { return u + T(2) * v; })));
}

template <class T>
class AlgebraIntegers : public testing::Test {};
TYPED_TEST_SUITE(AlgebraIntegers, IntegerTypes);

TYPED_TEST(AlgebraIntegers, WrapInsteadOfOverflowing) {
  using T = TypeParam;
  constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  const Index shape{4};
  const Array<T> a = array_with<T>(world(), shape, {lowest, highest, lowest, 7}, {});
  const Array<T> b = array_with<T>(world(), shape, {T(-1), T(1), lowest, T(-2)}, {});
  Array<T> c(world(), shape);
  EXPECT_EQ(divide(a, b, c), 0);
  EXPECT_TRUE(holds<T>(c, {lowest, highest, T(1), T(-3)}));
  add(1, a, 1, b, c);
  EXPECT_TRUE(holds<T>(c, {highest, lowest, T(0), T(5)}));
  multiply(a, b, c);
  EXPECT_TRUE(holds<T>(c, {lowest, highest, T(0), T(-14)}));
  absolute(a, c);
  EXPECT_TRUE(holds<T>(c, {lowest, highest, lowest, T(7)}));
  store<T>(c, {lowest, highest, T(1), T(-5)});
  scale(c, -1);
  EXPECT_TRUE(holds<T>(c, {lowest, T(-highest), T(-1), T(5)}));
}

TEST(AlgebraBytes, WrapModulo256) {
  using T = std::uint8_t;
  const Array<T> a = array_with<T>(world(), {4}, {10, 255, 200, 7}, {});
  const Array<T> b = array_with<T>(world(), {4}, {255, 255, 100, 2}, {});
  Array<T> c(world(), {4});
  EXPECT_EQ(divide(a, b, c), 0);
  EXPECT_TRUE(holds<T>(c, {0, 1, 2, 3}));  // 255 is no -1
  add(1, a, 1, b, c);
  EXPECT_TRUE(holds<T>(c, {9, 254, 44, 9}));
  multiply(a, b, c);
  EXPECT_TRUE(holds<T>(c, {246, 1, 32, 14}));
  absolute(a, c);
  EXPECT_TRUE(holds<T>(c, {10, 255, 200, 7}));
  add_constant(c, 250);
  EXPECT_TRUE(holds<T>(c, {4, 249, 194, 1}));
}

TEST(AlgebraBytes, FactorsFrom0To255AreTaken) {
  Array<std::uint8_t> a(world(), {3}, {{}, "bytes"});
  for (const Scalar factor : {Scalar(-1), Scalar(256), Scalar(-1.0), Scalar(256.0)})
    EXPECT_TRUE(all_throw_error(world(), [&] { scale(a, factor); }, ErrorKind::value,
                                {"scale", "out of range", "'bytes'", "uint8"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { fill(a, 0.5); }, ErrorKind::type, {"whole number"}));
  fill(a, 255.0);
  EXPECT_TRUE(holds(a, std::vector<std::uint8_t>(3, 255)));
}

TYPED_TEST(AlgebraIntegers, DivisionByZeroGivesZeroAndIsToldEverywhere) {
  using T = TypeParam;
  std::vector<T> divisors(50, T(2)), expected(50, T(4));
  divisors[49] = 0;  // one rank owns it, all are told
  expected[49] = 0;
  const Array<T> a = array_with(world(), {50}, std::vector<T>(50, T(9)), {});
  const Array<T> b = array_with(world(), {50}, divisors, Layout::block_cyclic({3}));
  for (const Layout& layout : {Layout(), Layout::block_cyclic({3})}) {
    Array<T> c(world(), {50}, {layout});
    EXPECT_EQ(divide(a, b, c), 1);
    EXPECT_TRUE(holds(c, expected));
    EXPECT_EQ(divide(b, a, c), 0);
  }
  Array<T> same = array_with(world(), {50}, divisors, {});
  EXPECT_EQ(divide(same, same, same), 1);  // counted before it is written
}

template <class T>
class AlgebraReals : public testing::Test {};
using RealTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(AlgebraReals, RealTypes);

TYPED_TEST(AlgebraReals, MinimumAndMaximumPassNaNOn) {
  using T = TypeParam;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(),
              infinity = std::numeric_limits<T>::infinity();
  const Array<T> a = array_with<T>(world(), {5}, {nan, 1, nan, -infinity, 2}, {});
  const Array<T> b = array_with<T>(world(), {5}, {1, nan, nan, 3, infinity}, {});
  Array<T> c(world(), {5});
  std::vector<T> got(5);
  minimum(a, b, c);
  c.get(whole({5}), got.data());
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]) && std::isnan(got[2]));
  EXPECT_EQ(got[3], -infinity);
  EXPECT_EQ(got[4], T(2));
  maximum(a, b, c);
  c.get(whole({5}), got.data());
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]) && std::isnan(got[2]));
  EXPECT_EQ(got[3], T(3));
  EXPECT_EQ(got[4], infinity);
}

TYPED_TEST(AlgebraReals, DivisionByZeroFollowsIeee) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const Array<T> a = array_with<T>(world(), {3}, {1, -1, 0}, {});
  const Array<T> b(world(), {3});
  Array<T> c(world(), {3});
  std::vector<T> got(3);
  EXPECT_EQ(divide(a, b, c), 0);
  c.get(whole({3}), got.data());
  EXPECT_EQ(got[0], infinity);
  EXPECT_EQ(got[1], -infinity);
  EXPECT_TRUE(std::isnan(got[2]));
}

TYPED_TEST(AlgebraReals, ComplexQuotientsDoNotOverflowOnTheWay) {
  using C = std::complex<TypeParam>;
  const TypeParam large = std::numeric_limits<TypeParam>::max() / 4;
  const Array<C> a = array_with<C>(world(), {2}, {C(large, large), C(large, -large)}, {});
  Array<C> c(world(), {2});
  EXPECT_EQ(divide(a, a, c), 0);
  EXPECT_TRUE(nearly_holds<C>(c, {C(1), C(1)}));
}

TEST(AlgebraScalars, ComplexFactors) {
  using C = std::complex<double>;
  Random random(50);
  const Index shape{17, 5};
  std::vector<C> x = small_values<C>(random, shape), y = small_values<C>(random, shape);
  Array<C> a = array_with(world(), shape, x, {}), b = array_with(world(), shape, y, {});
  add(C(0, 1), a, C(2, -1), b, b);
  EXPECT_TRUE(holds(b, serially(x, y, [](C u, C v) { return C(0, 1) * u + C(2, -1) * v; })));
  scale(a, C(0, 2));
  for (C& value : x) value *= C(0, 2);
  EXPECT_TRUE(holds(a, x));
}

TEST(AlgebraScalars, FactorsMustFitTheElementType) {
  Array<std::int64_t> a(world(), {4}, {{}, "A"});
  const auto refuses = [&](const std::function<void()>& action, const std::string& what) {
    return all_throw_error(world(), action, ErrorKind::type, {what, "'A'", "int64"});
  };
  EXPECT_TRUE(refuses([&] { scale(a, 0.5); }, "the factor 0.5"));
  EXPECT_TRUE(refuses([&] { add(0.5, a, 1, a, a); }, "alpha"));
  EXPECT_TRUE(refuses([&] { add(1, a, 1.25, a, a); }, "beta"));
  scale(a, 3.0);
}

}  // namespace
}  // namespace lagoon::atoll::test
