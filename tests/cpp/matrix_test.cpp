// Transposes, diagonals, rows and columns, and norms of matrices against serial loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class Matrix : public testing::Test {};
TYPED_TEST_SUITE(Matrix, AllTypes);

/// A matrix on a group, what it holds, and a vector.
template <Element T>
struct Sample {
  Sample(const Group& group, Random& random)
      : shape{random.between(1, 40), random.between(1, 40)},
        values(small_values<T>(random, shape)),
        array(array_with(group, shape, values, random_layout(random, shape, group.size()))) {}
  T& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * shape[1] + column)];
  }
  std::int64_t shorter() const { return std::min(shape[0], shape[1]); }

  Index shape;
  std::vector<T> values;
  Array<T> array;
};

template <Element T>
struct SampleVector {
  SampleVector(const Group& group, Random& random, std::int64_t length)
      : values(small_values<T>(random, {length})),
        array(array_with(group, {length}, values, random_layout(random, {length}, group.size()))) {}
  T operator[](std::int64_t i) const { return values[static_cast<std::size_t>(i)]; }

  std::vector<T> values;
  Array<T> array;
};

/// Runs `check(group, random)` several times on several groups.
void several_times(const std::function<void(const Group&, Random&)>& check) {
  for_each_group([&](const Group& group) {
    Random random(97);
    for (int i = 0; i < 6; ++i) check(group, random);
  });
}

TYPED_TEST(Matrix, RowsAndColumnsAreScaledByVectors) {
  using T = TypeParam;
  several_times([](const Group& group, Random& random) {
    Sample<T> a(group, random);
    const SampleVector<T> rows(group, random, a.shape[0]), columns(group, random, a.shape[1]);
    scale_rows(a.array, rows.array);
    scale_columns(a.array, columns.array);
    for (std::int64_t i = 0; i < a.shape[0]; ++i)
      for (std::int64_t j = 0; j < a.shape[1]; ++j)
        a.at(i, j) = static_cast<T>(a.at(i, j) * rows[i] * columns[j]);
    EXPECT_TRUE(holds(a.array, a.values)) << a.array.distribution().to_string();
  });
}

TYPED_TEST(Matrix, DiagonalsAreReadWrittenAndShifted) {
  using T = TypeParam;
  several_times([](const Group& group, Random& random) {
    Sample<T> a(group, random);
    const SampleVector<T> one(group, random, a.shorter()), other(group, random, a.shorter());
    set_diagonal(a.array, one.array);
    add_diagonal(a.array, other.array);
    shift_diagonal(a.array, 3);
    T sum{};
    std::vector<T> diagonal;
    for (std::int64_t i = 0; i < a.shorter(); ++i) {
      a.at(i, i) = static_cast<T>(one[i] + other[i] + T(3));
      diagonal.push_back(a.at(i, i));
      sum = static_cast<T>(sum + a.at(i, i));
    }
    EXPECT_TRUE(holds(a.array, a.values));
    EXPECT_EQ(trace(a.array).template as<T>(), sum);
    SampleVector<T> read(group, random, a.shorter());
    get_diagonal(a.array, read.array);
    EXPECT_TRUE(holds(read.array, diagonal));
    fill_diagonal(a.array, 5);
    for (std::int64_t i = 0; i < a.shorter(); ++i) a.at(i, i) = T(5);
    EXPECT_TRUE(holds(a.array, a.values));
  });
}

TYPED_TEST(Matrix, NormsAreTheLargestSumsOfColumnsAndRows) {
  using T = TypeParam;
  several_times([](const Group& group, Random& random) {
    Sample<T> a(group, random);
    double one = 0, infinity = 0;
    for (std::int64_t j = 0; j < a.shape[1]; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < a.shape[0]; ++i)
        sum += std::abs(Scalar(a.at(i, j)).template as<std::complex<double>>());
      one = std::max(one, sum);
    }
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < a.shape[1]; ++j)
        sum += std::abs(Scalar(a.at(i, j)).template as<std::complex<double>>());
      infinity = std::max(infinity, sum);
    }
    EXPECT_NEAR(matrix_norm(a.array, MatrixNorm::one), one, 1e-12 * one);
    EXPECT_NEAR(matrix_norm(a.array, MatrixNorm::infinity), infinity, 1e-12 * infinity);
  });
}

TYPED_TEST(Matrix, TransposeAndSymmetrize) {
  using T = TypeParam;
  several_times([](const Group& group, Random& random) {
    Sample<T> a(group, random);
    const Index turned{a.shape[1], a.shape[0]};
    Array<T> b(group, turned, {random_layout(random, turned, group.size()), "b", false});
    transpose(a.array, b);
    std::vector<T> expected;
    for (std::int64_t j = 0; j < a.shape[1]; ++j)
      for (std::int64_t i = 0; i < a.shape[0]; ++i) expected.push_back(a.at(i, j));
    EXPECT_TRUE(holds(b, expected));
    if constexpr (!is_integer(element_type_of<T>())) {
      const Index square{a.shape[0], a.shape[0]};
      const std::vector<T> values = small_values<T>(random, square);
      Array<T> s = array_with(group, square, values, random_layout(random, square, group.size()));
      symmetrize(s);
      const auto at = [&](std::int64_t i, std::int64_t j) {
        return values[static_cast<std::size_t>(i * square[0] + j)];
      };
      expected.clear();
      for (std::int64_t i = 0; i < square[0]; ++i)
        for (std::int64_t j = 0; j < square[0]; ++j)
          expected.push_back(T(0.5) * at(i, j) + T(0.5) * at(j, i));
      EXPECT_TRUE(holds(s, expected));
    }
  });
}

TEST(MatrixErrors, NameWhatDoesNotFit) {
  Array<double> a(world(), {4, 6}), square(world(), {4, 4}), cube(world(), {2, 2, 2}),
      v(world(), {4}), w(world(), {6});
  Array<std::int32_t> integers(world(), {4, 4});
  Array<float> floats(world(), {4});
  const auto value = [](const std::function<void()>& call, const std::vector<std::string>& texts) {
    EXPECT_TRUE(all_throw_error(world(), call, ErrorKind::value, texts));
  };
  value([&] { scale_rows(a, w); }, {"scale_rows", "vector of 4"});
  value([&] { scale_columns(a, v); }, {"scale_columns", "vector of 6"});
  value([&] { add_diagonal(a, w); }, {"add_diagonal", "vector of 4"});
  value([&] { scale_rows(cube, v); }, {"scale_rows", "a matrix has two"});
  value([&] { (void)trace(cube); }, {"trace", "a matrix has two"});
  value([&] { (void)matrix_norm(v, MatrixNorm::one); }, {"matrix_norm", "a matrix has two"});
  value([&] { symmetrize(a); }, {"symmetrize", "square"});
  value([&] { transpose(cube, cube); }, {"transpose", "a matrix has two"});
  EXPECT_TRUE(all_throw_error(world(), [&] { symmetrize(integers); }, ErrorKind::type,
                              {"symmetrize", "int32"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { scale_rows(square, floats); }, ErrorKind::type,
                              {"scale_rows", "float32"}));
}

TEST(MatrixNorms, TellOfNaNAndOfNothing) {
  Array<double> a(world(), {5, 7}), empty(world(), {0, 3});
  fill({a, {{2, 3}, {3, 4}, {}}}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(matrix_norm(a, MatrixNorm::one)));
  EXPECT_TRUE(std::isnan(matrix_norm(a, MatrixNorm::infinity)));
  EXPECT_EQ(matrix_norm(empty, MatrixNorm::one), 0);
  EXPECT_EQ(matrix_norm(empty, MatrixNorm::infinity), 0);
  EXPECT_EQ(trace(empty).as<double>(), 0);
}

}  // namespace
}  // namespace lagoon::atoll::test
