// Views as operands: transposed ones are what NumPy's `a.T` is to any operation, forms that an
// operation does not take are refused by it on all ranks, and views of dead arrays are errors.
#include <gtest/gtest.h>

#include <algorithm>

#include "algebra_support.hpp"
#include "atoll/line_search.hpp"
#include "atoll/matmul.hpp"
#include "atoll/view.hpp"

namespace lagoon::atoll::test {
namespace {

testing::AssertionResult refuses(const std::function<void()>& action, ErrorKind kind,
                                 const std::vector<std::string>& texts) {
  return all_throw_error(world(), action, kind, texts);
}

Index reversed(Index index) {
  std::reverse(index.begin(), index.end());
  return index;
}

template <class T>
class TransposedViews : public testing::Test {
 protected:
  using Operation = std::function<void(const View&, const View&, const MutableView&)>;

  /// That operands that lie the other way round give what they give straight.
  static void check(std::uint64_t seed, const Operation& operation) {
    for_each_group([&](const Group& group) {
      Random random(seed);
      for (int i = 0; i < 8; ++i) {
        const Index shape = random_shape(random, static_cast<int>(random.between(1, 4)), 200);
        const std::vector<T> x = numbers(random, shape), y = numbers(random, shape);
        const auto array = [&](const Index& extents, const std::vector<T>& values) {
          return array_with(group, extents, values, random_layout(random, extents, group.size()));
        };
        const Array<T> a = array(shape, x), b = array(shape, y);
        Array<T> a_turned(group, reversed(shape),
                          {random_layout(random, reversed(shape), group.size())});
        Array<T> b_turned(group, reversed(shape));
        copy({a, Form::transposed}, a_turned);
        copy({b, Form::transposed}, b_turned);
        Array<T> expected(group, shape), result(group, shape);
        operation(a, b, expected);
        std::vector<T> values(x.size());
        group.sync();
        expected.get(whole(shape), values.data());
        operation({a_turned, Form::transposed}, b, result);
        EXPECT_TRUE(holds(result, values)) << shape.to_string();
        operation(a, {b_turned, whole(reversed(shape)), Form::transposed}, result);
        EXPECT_TRUE(holds(result, values)) << shape.to_string();
        operation({a_turned, Form::transposed}, {b_turned, Form::transposed}, result);
        EXPECT_TRUE(holds(result, values)) << shape.to_string();
      }
    });
  }

 private:
  static std::vector<T> numbers(Random& random, const Index& shape) {
    std::vector<T> values = small_values<T>(random, shape);
    std::replace(values.begin(), values.end(), T{}, T(1));
    return values;
  }
};
TYPED_TEST_SUITE(TransposedViews, AllTypes);

TYPED_TEST(TransposedViews, OfSumsProductsAndQuotients) {
  this->check(401, [](const View& a, const View& b, const MutableView& c) { add(2, a, 3, b, c); });
  this->check(402, [](auto&&... all) { multiply(all...); });
  this->check(403, [](auto&&... all) { (void)divide(all...); });
}

TYPED_TEST(TransposedViews, OfMinimaMaximaAndMedians) {
  if constexpr (!is_complex(element_type_of<TypeParam>())) {
    this->check(404, [](auto&&... all) { minimum(all...); });
    this->check(405, [](auto&&... all) { maximum(all...); });
    this->check(406,
                [](const View& a, const View& b, const MutableView& c) { median(a, b, a, c); });
  }
}

TYPED_TEST(TransposedViews, OfMagnitudesReciprocalsAndCopies) {
  this->check(407, [](const View& a, const View&, const MutableView& c) { absolute(a, c); });
  this->check(408, [](const View&, const View& b, const MutableView& c) { copy(b, c); });
  if constexpr (!is_integer(element_type_of<TypeParam>()))
    this->check(409, [](const View&, const View& b, const MutableView& c) { reciprocal(b, c); });
}

TYPED_TEST(TransposedViews, OfReductions) {
  using T = TypeParam;
  Random random(410);
  const Index shape{23, 5, 7};
  std::vector<T> x = small_values<T>(random, shape);
  for (T& value : x) value = static_cast<T>(magnitude(value) + T(1));
  const Array<T> a = array_with(world(), shape, x, Layout::block_cyclic({3, 2, 2}));
  Array<T> b(world(), reversed(shape));
  copy({a, Form::transposed}, b);
  const View turned{a, Form::transposed};
  const auto number = [](const Scalar& scalar) { return scalar.as<std::complex<double>>(); };
  EXPECT_EQ(turned.shape(), b.shape());
  EXPECT_EQ(number(sum(turned)), number(sum(a)));
  EXPECT_EQ(norm(turned), norm(a));
  const double squares = number(dot(a, a)).real();
  EXPECT_NEAR(number(dot(turned, b)).real(), squares, 1e-12 * squares);
  if constexpr (!is_complex(element_type_of<T>())) {
    EXPECT_EQ(minimum_element(turned).position, minimum_element(a).position);
    EXPECT_EQ(maximum_element(turned).value.template as<T>(),
              maximum_element(a).value.template as<T>());
    if constexpr (!std::is_unsigned_v<T>) {
      scale(b, -1);
      EXPECT_EQ(step_max(turned, b), 1);
    }
  }
}

/// Calls every operation that takes views with `odd` as one of its inputs.
void for_each_operation(
    const View& odd, const AnyArray& a, AnyArray& c,
    const std::function<void(const std::string&, const std::function<void()>&)>& check) {
  check("add", [&] { add(1, a, 1, odd, c); });
  check("multiply", [&] { multiply(odd, a, c); });
  check("divide", [&] { (void)divide(a, odd, c); });
  check("absolute", [&] { absolute(odd, c); });
  check("reciprocal", [&] { reciprocal(odd, c); });
  check("copy", [&] { copy(odd, c); });
  check("sum", [&] { sum(odd); });
  check("dot", [&] { dot(a, odd); });
  check("norm", [&] { norm(odd); });
}

TEST(Views, ConjugatedOnesAreRefusedOutsideProductsByNameOnAllRanks) {
  const Array<std::complex<double>> a(world(), {6, 6}, {{}, "A"});
  Array<std::complex<double>> c(world(), {6, 6}, {{}, "C"});
  const Patch part{{0, 0}, {6, 6}, {}};
  for (const Form form : {Form::conjugated, Form::adjoint})
    for (const View& odd : {View(a, form), View(a, part, form)})
      for_each_operation(odd, a, c, [](const std::string& name, const std::function<void()>& call) {
        EXPECT_TRUE(refuses(call, ErrorKind::unsupported, {name, "'A'", "conjugated"}));
      });
  matmul(1, {a, Form::adjoint}, {a, Form::conjugated}, 0, c);
}

TEST(Views, OfRealNumbersConjugatedOnesAreAsTheyLie) {
  Random random(411);
  const std::vector<float> x = small_values<float>(random, {5, 5});
  const Array<float> a = array_with(world(), {5, 5}, x, {});
  Array<float> straight(world(), {5, 5}), turned(world(), {5, 5}), c(world(), {5, 5});
  copy({a, Form::conjugated}, straight);
  EXPECT_TRUE(holds(straight, x));
  copy({a, Form::adjoint}, turned);
  add(1, a, -1, {turned, Form::adjoint}, c);
  EXPECT_TRUE(holds(c, std::vector<float>(25)));
}

TEST(Views, AResultIsNotItsOwnTransposedOperand) {
  Array<double> a(world(), {6, 6}, {{}, "A"});
  EXPECT_TRUE(refuses([&] { add(1, a, 1, {a, Form::transposed}, a); }, ErrorKind::value,
                      {"add", "'A'", "overlap"}));
  EXPECT_TRUE(refuses([&] { copy({a, Form::transposed}, a); }, ErrorKind::value, {"overlap"}));
  const Patch left{{0, 0}, {3, 3}, {}}, right{{3, 3}, {6, 6}, {}};
  multiply({a, left, Form::transposed}, {a, right}, {a, right});  // apart, or in its place
  Array<double> v(world(), {6});
  add(1, v, 1, {v, Form::transposed}, v);  // a vector has no other way to lie
}

TEST(Views, OneRankWithAnotherFormRaisesEverywhere) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  const Array<double> a(world(), {4, 4}, {{}, "A"});
  Array<double> c(world(), {4, 4}, {{}, "C"});
  const View mine{a, world().rank() == 0 ? Form::transposed : Form::plain};
  for_each_operation(mine, a, c, [](const std::string& name, const std::function<void()>& call) {
    EXPECT_TRUE(refuses(call, ErrorKind::mismatch, {name}));
  });
  EXPECT_TRUE(refuses([&] { matmul(1, mine, a, 0, c); }, ErrorKind::mismatch, {"matmul"}));
  add(1, a, 1, a, c);
}

TEST(Views, OfDestroyedArraysAreErrorsAndMakingThemIsNot) {
  const Array<double> a(world(), {4, 4});
  Array<double> c(world(), {4, 4}), dead(world(), {4, 4});
  const View all{dead}, turned{dead, Form::adjoint}, part{dead, {{0, 0}, {4, 4}, {}}};
  const MutableView written{dead, {{0, 0}, {4, 4}, {}}};
  dead.destroy();
  const Array<double> moved = std::move(dead);
  for (const View& odd : {all, turned, part, View(moved)})
    for_each_operation(odd, a, c, [](const std::string& name, const std::function<void()>& call) {
      EXPECT_TRUE(refuses(call, ErrorKind::state, {name}));
    });
  EXPECT_TRUE(refuses([&] { scale(written, 2); }, ErrorKind::state, {"scale"}));
  EXPECT_TRUE(refuses([&] { matmul(1, turned, a, 0, c); }, ErrorKind::state, {"matmul"}));
  add(1, a, 1, a, c);
}

TEST(Views, OfTemporaryArraysLiveAsLongAsTheCall) {
  const auto made = [](double value) {
    Array<double> array(world(), {8});
    fill(array, value);
    return array;
  };
  Array<double> c(world(), {8});
  add(2, made(1), 3, {made(2), {{0}, {8}, {}}}, c);
  EXPECT_EQ(sum(c).as<double>(), 64);
}

static_assert(!std::is_constructible_v<MutableView, const AnyArray&>,
              "what is const is not written");
static_assert(!std::is_constructible_v<MutableView, AnyArray>, "nor what nobody could read then");

}  // namespace
}  // namespace lagoon::atoll::test
