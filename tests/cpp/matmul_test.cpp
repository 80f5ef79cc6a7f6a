// Products of random matrices, patches, forms, layouts and scalars against a serial loop in double
// precision, within the forward error bound of a sum of k products; and calls that must fail.
#include "atoll/matmul.hpp"

#include <cstdlib>
#include <limits>

#include "matmul_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <Element T>
void check_random_product(Random& random) {
  const auto extent = [&] {
    return random.chance(0.1) ? random.between(0, 1) : random.between(1, 60);
  };
  const std::int64_t m = extent(), n = extent(),
                     k = random.chance(0.2) ? random.between(0, 700) : extent();
  const auto form = [&] { return static_cast<Form>(random.between(0, 3)); };
  const Form form_a = form(), form_b = form();
  const auto [shape_a, patch_a] = around(random, turns(form_a) ? Index{k, m} : Index{m, k});
  const auto [shape_b, patch_b] = around(random, turns(form_b) ? Index{n, k} : Index{k, n});
  const auto [shape_c, patch_c] = around(random, {m, n});
  const std::vector<T> values_a = random_matrix<T>(random, shape_a);
  const std::vector<T> values_b = random_matrix<T>(random, shape_b);
  const std::vector<T> values_c = random_matrix<T>(random, shape_c);
  const T alpha = scalar_value<T>(random), beta = scalar_value<T>(random);
  const auto layout = [&](const Index& shape) {
    return shape.product() == 0 ? Layout::blocked() : random_layout(random, shape, world().size());
  };
  const auto make = [&](const Index& shape, const std::vector<T>& values, const char* name,
                        bool may_mirror) {
    ArrayOptions options{.name = name};
    options.mirrored = may_mirror && random.chance(0.15);
    if (!options.mirrored) options.layout = layout(shape);
    Array<T> array(world(), shape, options);
    if (array.group().rank() == 0 && !values.empty()) array.put(whole(shape), values.data());
    return array;
  };
  const Array<T> a = make(shape_a, values_a, "a", true), b = make(shape_b, values_b, "b", true);
  Array<T> c = make(shape_c, values_c, "c", false);
  MatmulOptions options;
  if (random.chance(0.3)) options.memory = static_cast<std::size_t>(random.between(1, 100'000));
  options.prefetch = random.chance(0.7);
  options.shift = random.chance(0.7);
  matmul(alpha, {a, patch_a, form_a}, {b, patch_b, form_b}, beta, {c, patch_c}, options);

  std::vector<T> result(values_c.size());
  if (!result.empty()) c.get(whole(shape_c), result.data());
  const double unit =
      std::numeric_limits<decltype(std::abs(T()))>::epsilon() * (is_complex(c.type()) ? 4 : 1);
  for (std::int64_t i = 0; i < shape_c[0]; ++i)
    for (std::int64_t j = 0; j < shape_c[1]; ++j) {
      const auto at = static_cast<std::size_t>(i * shape_c[1] + j);
      const std::int64_t row = i - patch_c.lo[0], column = j - patch_c.lo[1];
      auto expected = static_cast<Wide<T>>(values_c[at]);
      double scale = 0;
      if (row >= 0 && row < m && column >= 0 && column < n) {
        Wide<T> sum{};
        for (std::int64_t q = 0; q < k; ++q) {
          const Wide<T> x = element_of(values_a, shape_a, patch_a, form_a, row, q);
          const Wide<T> y = element_of(values_b, shape_b, patch_b, form_b, q, column);
          sum += x * y;
          scale += std::abs(x) * std::abs(y);
        }
        scale = scale * std::abs(alpha) * static_cast<double>(k + 2) +
                2 * std::abs(beta) * std::abs(expected) + 2 * std::abs(alpha) * std::abs(sum);
        expected = static_cast<Wide<T>>(alpha) * sum + static_cast<Wide<T>>(beta) * expected;
      }
      const double error = std::abs(static_cast<Wide<T>>(result[at]) - expected);
      if (!(error <= 2 * unit * scale)) {
        ADD_FAILURE() << "m " << m << ", n " << n << ", k " << k << ", forms "
                      << static_cast<int>(form_a) << ' ' << static_cast<int>(form_b) << ", a "
                      << a.distribution().to_string() << ", b " << b.distribution().to_string()
                      << ", c " << c.distribution().to_string() << ", element " << i << ", " << j
                      << ": " << result[at] << ", expected " << expected;
        i = shape_c[0];
        break;
      }
    }
  world().barrier();
}

template <class T>
class MatmulTyped : public testing::Test {};
TYPED_TEST_SUITE(MatmulTyped, BlasTypes);

TYPED_TEST(MatmulTyped, RandomProductsAreThoseOfASerialLoop) {
  const char* const asked = std::getenv("TEST_RANDOM_PRODUCTS");
  const std::int64_t cases = asked != nullptr ? std::atoll(asked) : 25;
  for (std::int64_t seed = 0; seed < cases && everywhere(!testing::Test::HasFailure()); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 1000 * sizeof(TypeParam));
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_random_product<TypeParam>(random);
  }
}

TEST(Matmul, NumbersThatAreNotThereDoNotCountWhereBetaIsZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t k : {0, 5, 5000}) {
    Array<double> a(world(), {4, k}), b(world(), {k, 6}), c(world(), {4, 6});
    fill(a, 1);
    fill(b, 2);
    fill(c, nan);
    matmul(1, a, b, 0, c);
    EXPECT_EQ(minimum_element(c).value.as<double>(), 2.0 * static_cast<double>(k));
    EXPECT_EQ(maximum_element(c).value.as<double>(), 2.0 * static_cast<double>(k));
  }
}

TEST(Matmul, CallsThatCannotBeAreErrorsOnAllRanks) {
  Array<double> a(world(), {4, 5}), b(world(), {5, 6}), c(world(), {4, 6});
  const Array<float> other(world(), {5, 6});
  const Array<double> cube(world(), {4, 5, 6});
  Array<std::int64_t> x(world(), {3, 3}), y(world(), {3, 3}), z(world(), {3, 3});
  EXPECT_EQ(kind_of_failure([&] { matmul(1, {a, Form::transposed}, b, 0, c); }), ErrorKind::value);
  EXPECT_EQ(kind_of_failure([&] { matmul(1, b, a, 0, c); }), ErrorKind::value);
  EXPECT_EQ(kind_of_failure([&] { matmul(1, a, other, 0, c); }), ErrorKind::type);
  EXPECT_EQ(kind_of_failure([&] { matmul(1, cube, b, 0, c); }), ErrorKind::value);
  EXPECT_EQ(kind_of_failure([&] { matmul(1, x, y, 0, z); }), ErrorKind::type);
  EXPECT_EQ(kind_of_failure([&] { matmul(std::complex<double>(0, 1), a, b, 0, c); }),
            ErrorKind::type);
  EXPECT_EQ(kind_of_failure([&] { matmul(1, {a, {{0, 0}, {4, 6}, {}}}, b, 0, c); }),
            ErrorKind::index);
  EXPECT_EQ(kind_of_failure([&] { matmul(1, {a, {{0, 0}, {4, 5}, {1, 2}}}, b, 0, c); }),
            ErrorKind::value);
  Array<double> s(world(), {4, 4});
  EXPECT_EQ(kind_of_failure([&] { matmul(1, s, s, 0, s); }), ErrorKind::value);
  EXPECT_EQ(kind_of_failure([&] { matmul(1, a, b, 0, c, MatmulOptions{.memory = 0}); }),
            ErrorKind::value);
  if (world().size() > 1) {
    EXPECT_EQ(kind_of_failure([&] { matmul(1, a, b, world().rank(), c); }), ErrorKind::mismatch);
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
