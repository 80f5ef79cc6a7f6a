// Products of random matrices, patches and forms with vectors, against a serial loop.
#include <cstdlib>
#include <limits>
#include <optional>

#include "algebra/matrices/blas.hpp"
#include "algebra_support.hpp"
#include "atoll/matmul.hpp"
#include "matmul_support.hpp"
#include "no_memory.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(Blas, RefusesExtentsBeyondItsIntegersInsteadOfCuttingThem) {
  const double a = 1, b = 1;
  double c = 7;
  const std::int64_t beyond = (std::int64_t{1} << 32) + 1;  // 1 when cut
  EXPECT_THROW(detail::gemm<double>(detail::BlasForm::plain, detail::BlasForm::plain, beyond, 1, 1,
                                    1, &a, 1, &b, 1, 0, &c, 1),
               Error);
  EXPECT_EQ(c, 7);
}

template <class T>
class Matvec : public testing::Test {};
TYPED_TEST_SUITE(Matvec, BlasTypes);

template <Element T>
void check_random_product(const Group& group, Random& random) {
  const auto extent = [&] {
    return random.chance(0.1) ? random.between(0, 1) : random.between(1, 60);
  };
  const std::int64_t m = extent(), k = extent();
  const auto form = static_cast<Form>(random.between(0, 3));
  const auto [shape, patch] = around(random, turns(form) ? Index{k, m} : Index{m, k});
  const std::vector<T> values = random_matrix<T>(random, shape);
  const std::vector<T> x = random_matrix<T>(random, {k}), before = random_matrix<T>(random, {m});
  const T alpha = scalar_value<T>(random), beta = scalar_value<T>(random);
  const auto layout = [&](const Index& s) { return random_layout(random, s, group.size()); };
  const Array<T> matrix = array_with(group, shape, values, layout(shape));
  const Array<T> vector = array_with(group, {k}, x, layout({k}));
  Array<T> y = array_with(group, {m}, before, layout({m}));
  if (beta == T(0)) fill(y, std::numeric_limits<double>::quiet_NaN());  // must not count

  matvec(alpha, {matrix, patch, form}, vector, beta, y);

  std::vector<T> result(static_cast<std::size_t>(m));
  y.get(whole({m}), result.data());
  const auto wide = [](T value) { return static_cast<Wide<T>>(value); };
  for (std::int64_t i = 0; i < m; ++i) {
    Wide<T> sum{};
    double size = 0;
    for (std::int64_t l = 0; l < k; ++l) {
      const Wide<T> term =
          element_of<T>(values, shape, patch, form, i, l) * wide(x[static_cast<std::size_t>(l)]);
      sum += term;
      size += std::abs(term);
    }
    const auto at = static_cast<std::size_t>(i);
    const Wide<T> old = beta == T(0) ? Wide<T>{} : wide(beta) * wide(before[at]);
    const double bound = 4 * static_cast<double>(k + 4) *
                         std::numeric_limits<decltype(std::abs(T()))>::epsilon() *
                         (std::abs(wide(alpha)) * size + std::abs(old) + 1e-30);
    ASSERT_LE(std::abs(wide(result[at]) - (wide(alpha) * sum + old)), bound)
        << "element " << i << " of " << m << ", k = " << k;
  }
}

TYPED_TEST(Matvec, OfRandomMatricesAreThoseOfALoop) {
  for_each_group([](const Group& group) {
    Random random(31);
    for (int i = 0; i < 10; ++i) check_random_product<TypeParam>(group, random);
  });
}

TEST(MatvecArguments, ThatDoNotFitAreRefusedByAll) {
  Array<double> a(world(), {4, 5}), x(world(), {5}), y(world(), {4});
  Array<double> mirrored(world(), {4, 5}, {.mirrored = true});
  Array<float> single(world(), {5});
  const auto refused = [&](const std::function<void()>& call, ErrorKind kind,
                           const std::string& text) {
    EXPECT_TRUE(all_throw_error(world(), call, kind, {text}));
  };
  refused([&] { matvec(1, a, y, 0, y); }, ErrorKind::value, "a factor, too");
  refused([&] { matvec(1, a, y, 0, x); }, ErrorKind::value, "expected a vector of 5");
  refused([&] { matvec(1, {a, Form::transposed}, x, 0, y); }, ErrorKind::value,
          "expected a vector of 4");
  refused([&] { matvec(1, a, single, 0, y); }, ErrorKind::type, "float32");
  refused([&] { matvec(1, x, x, 0, y); }, ErrorKind::value, "a matrix has two");
  refused([&] { matvec(1, mirrored, x, 0, y); }, ErrorKind::unsupported, "mirrored");
}

TEST(MatvecWithoutMemory, ThrowsOnAllRanksAndIsCalledAgain) {
  if (!NoMemory::works()) GTEST_SKIP() << "sanitizers take memory of their own";
  constexpr std::int64_t n = 1 << 19;
  Array<double> a(world(), {2, n}), x(world(), {n}), y(world(), {2});
  fill(a, 1);
  fill(x, 0.5);
  const auto multiply = [&] {
    const std::optional<NoMemory> none = world().rank() == world().size() - 1
                                             ? std::optional<NoMemory>(std::in_place)
                                             : std::nullopt;
    matvec(1, a, x, 0, y);
  };
  EXPECT_TRUE(all_throw_error(world(), multiply, ErrorKind::memory, {"no memory"}));
  matvec(1, a, x, 0, y);
  EXPECT_EQ(minimum_element(y).value.as<double>(), static_cast<double>(n / 2));
}

}  // namespace
}  // namespace lagoon::atoll::test
