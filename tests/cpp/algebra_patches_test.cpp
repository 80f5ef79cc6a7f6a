// Element-wise operations and reductions on patches against plain loops: patches anywhere in arrays
// of different shapes, with steps and without, in one array and in several.
#include <gtest/gtest.h>

#include <algorithm>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

/// An array with its contents, and a patch of it.
template <Element T>
struct Part {
  Array<T> array;
  std::vector<T> values;
  Patch patch;

  View view(Form form = Form::plain) const { return {array, patch, form}; }
  MutableView view() { return {array, patch}; }
  std::vector<T> elements() const {
    std::vector<T> packed;
    for_each_position(patch.shape(), [&](const Index& at, std::int64_t) {
      packed.push_back(
          values[static_cast<std::size_t>(linear_index(array_position(patch, at), array.shape()))]);
    });
    return packed;
  }
  /// The values with these in the patch.
  std::vector<T> with(const std::vector<T>& packed) const {
    std::vector<T> changed = values;
    for_each_position(patch.shape(), [&](const Index& at, std::int64_t linear) {
      changed[static_cast<std::size_t>(linear_index(array_position(patch, at), array.shape()))] =
          packed[static_cast<std::size_t>(linear)];
    });
    return changed;
  }
};

/// A patch of this shape somewhere in a new array, anyhow distributed. No zeros in it.
template <Element T>
Part<T> part(Random& random, const Group& group, const Index& shape) {
  Patch patch{shape, shape, {}};
  Index around = shape;
  if (random.chance(0.6)) patch.step = Index::filled(shape.size(), 1);
  for (int d = 0; d < shape.size(); ++d) {
    if (!patch.step.empty() && random.chance(0.5)) patch.step[d] = random.between(1, 3);
    const std::int64_t step = patch.step.empty() ? 1 : patch.step[d];
    patch.lo[d] = random.between(0, 2);
    patch.hi[d] = patch.lo[d] + (shape[d] == 0 ? 0 : (shape[d] - 1) * step + 1);
    around[d] = patch.hi[d] + random.between(0, 2);
  }
  std::vector<T> values = small_values<T>(random, around);
  std::replace(values.begin(), values.end(), T{}, T(1));
  Array<T> array =
      array_with(group, around, values, random_layout(random, around, group.size()), "part");
  return {std::move(array), std::move(values), patch};
}

/// The same patch of an array that lies likewise, with other contents.
template <Element T>
Part<T> likewise(Random& random, const Part<T>& other) {
  std::vector<T> values = small_values<T>(random, other.array.shape());
  std::replace(values.begin(), values.end(), T{}, T(1));
  Array<T> array = other.array.duplicate("likewise");
  store(array, values);
  return {std::move(array), std::move(values), other.patch};
}

Index patch_shape(Random& random) {
  const int dimensions = static_cast<int>(random.between(1, 4));
  Index shape = random_shape(random, dimensions, 120);
  if (random.chance(0.08)) shape[static_cast<int>(random.between(0, dimensions - 1))] = 0;
  return shape;
}

template <class T>
class AlgebraPatches : public testing::Test {
 protected:
  using Operation = std::function<void(const View&, const View&, const MutableView&)>;
  using Serial = std::function<T(T, T)>;

  static void check(std::uint64_t seed, const Operation& operation, const Serial& serial,
                    bool rounded = false) {
    for_each_group([&](const Group& group) {
      Random random(seed);
      for (int i = 0; i < 10; ++i) check_once(random, group, operation, serial, rounded);
    });
  }

  static void check_once(Random& random, const Group& group, const Operation& operation,
                         const Serial& serial, bool rounded) {
    const Index shape = patch_shape(random);
    Part<T> a = part<T>(random, group, shape);
    const Part<T> b = random.chance(0.4) ? likewise(random, a) : part<T>(random, group, shape);
    Part<T> c = random.chance(0.4) ? likewise(random, a) : part<T>(random, group, shape);
    const std::vector<T> expected = serially(a.elements(), b.elements(), serial);
    const auto result_is = [&](const Part<T>& result) {
      SCOPED_TRACE(result.patch.to_string() + " " + result.array.distribution().to_string());
      EXPECT_TRUE(rounded ? nearly_holds(result.array, result.with(expected))
                          : holds(result.array, result.with(expected)));
    };
    operation(a.view(), b.view(), c.view());
    result_is(c);
    EXPECT_TRUE(holds(b.array, b.values));
    operation(a.view(), b.view(), a.view());
    result_is(a);
  }
};
TYPED_TEST_SUITE(AlgebraPatches, AllTypes);

TYPED_TEST(AlgebraPatches, AddPutsTheSumIntoAPatchAndLeavesTheRest) {
  using T = TypeParam;
  const T factor = number<T>(-2);  // of bytes 254
  this->check(
      151, [&](const View& a, const View& b, const MutableView& c) { add(3, a, factor, b, c); },
      [&](T x, T y) { return T(3) * x + factor * y; });
}

TYPED_TEST(AlgebraPatches, ProductsAndQuotients) {
  using T = TypeParam;
  this->check(152, [](auto&&... all) { multiply(all...); }, [](T x, T y) { return x * y; });
  this->check(
      153, [](auto&&... all) { EXPECT_EQ(divide(all...), 0); }, [](T x, T y) { return x / y; },
      is_complex(element_type_of<T>()));
}

TYPED_TEST(AlgebraPatches, MinimumMaximumAndMedian) {
  using T = TypeParam;
  if constexpr (!is_complex(element_type_of<T>())) {
    this->check(
        154, [](auto&&... all) { minimum(all...); }, [](T x, T y) { return std::min(x, y); });
    this->check(
        155, [](auto&&... all) { maximum(all...); }, [](T x, T y) { return std::max(x, y); });
    this->check(
        156,
        [](const View& a, const View& b, const MutableView& c) {
          AnyArray limit = b.array.duplicate();
          fill(limit, 7);
          median(a, b, {limit, b.section()}, c);
        },
        [](T x, T y) {
          std::array<T, 3> all{x, y, T(7)};
          std::sort(all.begin(), all.end());
          return all[1];
        });
  } else {
    Array<T> a(world(), {3});
    EXPECT_TRUE(all_throw_error(world(), [&] { median(a, a, a, a); }, ErrorKind::type, {"order"}));
  }
}

TYPED_TEST(AlgebraPatches, AbsoluteAndReciprocal) {
  using T = TypeParam;
  constexpr bool complex = is_complex(element_type_of<T>());
  this->check(
      157, [](const View& a, const View&, const MutableView& c) { absolute(a, c); },
      [](T x, T) { return magnitude(x); }, complex);
  if constexpr (!is_integer(element_type_of<T>()))
    this->check(
        158, [](const View&, const View& b, const MutableView& c) { reciprocal(b, c); },
        [](T, T y) { return T(1) / y; }, complex);
}

TYPED_TEST(AlgebraPatches, ScaleAndAddConstantInPlace) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(159);
    for (int i = 0; i < 10; ++i) {
      Part<T> a = part<T>(random, group, patch_shape(random));
      const T factor = small_value<T>(random), constant = small_value<T>(random);
      scale(a.view(), factor);
      add_constant(a.view(), constant);
      std::vector<T> expected = a.elements();
      for (T& value : expected) value = static_cast<T>(value * factor + constant);
      a.values = a.with(expected);
      EXPECT_TRUE(holds(a.array, a.values)) << a.patch.to_string();
      add_constant(a.array, constant);
      for (T& value : a.values) value = static_cast<T>(value + constant);
      EXPECT_TRUE(holds(a.array, a.values));
    }
  });
}

TYPED_TEST(AlgebraPatches, PatchesOfOneArrayThatDoNotMeet) {
  using T = TypeParam;
  Random random(160);
  const Index shape{20, 12};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    const std::vector<T> values = small_values<T>(random, shape);
    Array<T> a = array_with(world(), shape, values, layout, "A");
    const Patch even{{0, 0}, {20, 12}, {2, 1}}, odd{{1, 0}, {20, 12}, {2, 1}};
    multiply({a, even}, {a, odd}, {a, odd});
    std::vector<T> expected = values;
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t j = 0; j < 12; ++j) {
        T& element = expected[(2 * i + 1) * 12 + j];
        element = static_cast<T>(element * values[2 * i * 12 + j]);
      }
    EXPECT_TRUE(holds(a, expected)) << a.distribution().to_string();
  }
}

TYPED_TEST(AlgebraPatches, LargerThanWhatIsFetchedAtATime) {
  using T = TypeParam;
  Random random(161);
  const Index shape{701, 500};
  const auto x = small_values<T>(random, shape), y = small_values<T>(random, shape);
  const Array<T> a = array_with(world(), shape, x, Layout::block_cyclic({64, 100}));
  Array<T> b = array_with(world(), shape, y, Layout::blocked());
  add(1, {a, {{1, 0}, {701, 500}, {}}}, 2, {b, {{0, 0}, {700, 500}, {}}},
      {b, {{0, 0}, {700, 500}, {}}});
  std::vector<T> expected = y;
  for (std::size_t i = 0; i < 700 * 500; ++i)
    expected[i] = static_cast<T>(x[i + 500] + T(2) * y[i]);
  EXPECT_TRUE(holds(b, expected));
}

TYPED_TEST(AlgebraPatches, SumNormAndDot) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(162);
    for (int i = 0; i < 10; ++i) {
      const Index shape = patch_shape(random);
      const Part<T> a = part<T>(random, group, shape);
      const Part<T> b = random.chance(0.4) ? likewise(random, a) : part<T>(random, group, shape);
      std::complex<double> total = 0, product = 0;
      double one = 0, two = 0, infinity = 0;
      const std::vector<T> x = a.elements(), y = b.elements();
      for (std::size_t k = 0; k < x.size(); ++k) {
        const auto u = Scalar(x[k]).as<std::complex<double>>();
        total += u;
        product += u * Scalar(y[k]).as<std::complex<double>>();
        one += std::abs(u);
        two += std::norm(u);
        infinity = std::max(infinity, std::abs(u));
      }
      EXPECT_EQ(sum(a.view()).template as<std::complex<double>>(), total);
      EXPECT_EQ(dot(a.view(), b.view()).template as<std::complex<double>>(), product);
      EXPECT_NEAR(norm(a.view(), Norm::one), one, 1e-12 * one);
      EXPECT_NEAR(norm(a.view()), std::sqrt(two), 1e-12 * std::sqrt(two));
      EXPECT_NEAR(norm(a.view(), Norm::infinity), infinity, 1e-12 * infinity);
    }
  });
}

TYPED_TEST(AlgebraPatches, DotOfTransposedPatches) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(163);
    for (int i = 0; i < 10; ++i) {
      const Index shape = patch_shape(random);
      Index reverse = shape;
      std::reverse(reverse.begin(), reverse.end());
      const Part<T> a = part<T>(random, group, shape), b = part<T>(random, group, reverse);
      const Part<T> c = part<T>(random, group, shape);
      std::complex<double> crossed = 0, straight = 0;
      const std::vector<T> x = a.elements(), y = b.elements(), z = c.elements();
      for_each_position(shape, [&](const Index& at, std::int64_t linear) {
        Index other = at;
        std::reverse(other.begin(), other.end());
        const auto u = Scalar(x[static_cast<std::size_t>(linear)]).as<std::complex<double>>();
        crossed += u * Scalar(y[static_cast<std::size_t>(linear_index(other, reverse))])
                           .as<std::complex<double>>();
        straight += u * Scalar(z[static_cast<std::size_t>(linear)]).as<std::complex<double>>();
      });
      const auto number = [](const Scalar& scalar) { return scalar.as<std::complex<double>>(); };
      EXPECT_EQ(number(dot(a.view(), b.view(Form::transposed))), crossed);
      EXPECT_EQ(number(dot(a.view(Form::transposed), b.view())), crossed);
      EXPECT_EQ(number(dot(a.view(Form::transposed), c.view(Form::transposed))), straight);
    }
  });
}

TYPED_TEST(AlgebraPatches, DotTransposedLargerThanWhatIsFetchedAtATime) {
  using T = TypeParam;
  const Index shape{300, 700}, reverse{700, 300};
  std::vector<T> x(300 * 700), y(300 * 700);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 700; ++j) {
      x[i * 700 + j] = static_cast<T>(static_cast<float>((i * 7 + j * 3) % 11));
      y[j * 300 + i] = static_cast<T>(static_cast<float>((i * 7 + j * 3) % 11 == 4 ? 1 : 0));
    }
  double expected = 0;
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 700; ++j) expected += (i * 7 + j * 3) % 11 == 4 ? 4 : 0;
  const Array<T> a = array_with(world(), shape, x, Layout::block_cyclic({50, 60}));
  const Array<T> b = array_with(world(), reverse, y, Layout::blocked());
  EXPECT_EQ(dot(a, {b, Form::transposed}).template as<double>(), expected);
}

TYPED_TEST(AlgebraPatches, ExtremaAndWhereTheyAreInTheArray) {
  using T = TypeParam;
  if constexpr (is_complex(element_type_of<T>())) {
    GTEST_SKIP() << "complex numbers have no order";
  } else {
    for_each_group([](const Group& group) {
      Random random(164);
      for (int i = 0; i < 20; ++i) {
        const Part<T> a = part<T>(random, group, patch_shape(random));
        const std::vector<T> x = a.elements();
        if (x.empty()) {
          EXPECT_TRUE(all_throw_error(group, [&] { minimum_element(a.view()); }, ErrorKind::value,
                                      {"minimum_element", a.patch.to_string(), "no elements"}));
          continue;
        }
        const auto is = [&](const Extremum& found, typename std::vector<T>::const_iterator best) {
          EXPECT_EQ(found.value.as<T>(), *best);
          for_each_position(a.patch.shape(), [&](const Index& at, std::int64_t linear) {
            if (linear == best - x.begin()) {
              EXPECT_EQ(found.position, array_position(a.patch, at));
            }
          });
        };
        is(minimum_element(a.view()), std::min_element(x.begin(), x.end()));
        is(maximum_element(a.view()), std::max_element(x.begin(), x.end()));
      }
    });
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
