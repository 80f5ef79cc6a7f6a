// Algebra of whole arrays and matrices, products of matrices, steps to bounds, vectors in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "algebra_serial.hpp"
#include "ga/typesf2c.h"

extern "C" void nga_matmul_patch_(const char* transa, const char* transb, const void* alpha,
                                  const void* beta, const Integer* g_a, const Integer* alo,
                                  const Integer* ahi, const Integer* g_b, const Integer* blo,
                                  const Integer* bhi, const Integer* g_c, const Integer* clo,
                                  const Integer* chi);

namespace algebra_test {

namespace {

template <class T>
class AlgebraOfMatrices : public testing::Test {
 protected:
  Chance chance{777};
};
template <class T>
class Products : public AlgebraOfMatrices<T> {};

using Numbers = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;
using Reals = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(AlgebraOfMatrices, Numbers);
TYPED_TEST_SUITE(Products, Reals);

template <class T>
T& element(Twin<T>& a, int i, int j) {
  return a.values[static_cast<std::size_t>(i * a.shape()[1] + j)];
}

/// Element (i, j) of op(a).
template <class T>
T of(Twin<T>& a, char form, int i, int j) {
  if (form == 'n') return element(a, i, j);
  if constexpr (is_complex<T>)
    if (form == 'c') return std::conj(element(a, j, i));
  return element(a, j, i);
}

void gemm(char ta, char tb, int m, int n, int k, float alpha, int a, int b, float beta, int c) {
  GA_Sgemm(ta, tb, m, n, k, alpha, a, b, beta, c);
}
void gemm(char ta, char tb, int m, int n, int k, double alpha, int a, int b, double beta, int c) {
  GA_Dgemm(ta, tb, m, n, k, alpha, a, b, beta, c);
}
void gemm(char ta, char tb, int m, int n, int k, std::complex<float> alpha, int a, int b,
          std::complex<float> beta, int c) {
  GA_Cgemm(ta, tb, m, n, k, {alpha.real(), alpha.imag()}, a, b, {beta.real(), beta.imag()}, c);
}
void gemm(char ta, char tb, int m, int n, int k, std::complex<double> alpha, int a, int b,
          std::complex<double> beta, int c) {
  GA_Zgemm(ta, tb, m, n, k, {alpha.real(), alpha.imag()}, a, b, {beta.real(), beta.imag()}, c);
}

}  // namespace

TYPED_TEST(AlgebraOfMatrices, WholeArraysAsLoopsDo) {
  using T = TypeParam;
  Twin<T> a({7, 5}, this->chance), b({7, 5}, this->chance), c({7, 5}, this->chance);
  T alpha = this->chance.template number<T>(), beta = this->chance.template number<T>();
  GA_Add(&alpha, a.handle(), &beta, b.handle(), c.handle());
  for (std::size_t i = 0; i < c.values.size(); ++i)
    c.values[i] = alpha * a.values[i] + beta * b.values[i];
  EXPECT_EQ(c.read(), c.values);
  GA_Elem_multiply(a.handle(), b.handle(), a.handle());
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] *= b.values[i];
  GA_Scale(a.handle(), &alpha);
  for (T& x : a.values) x *= alpha;
  GA_Add_constant(a.handle(), &beta);
  for (T& x : a.values) x += beta;
  EXPECT_EQ(a.read(), a.values);
  GA_Copy(a.handle(), b.handle());
  EXPECT_EQ(b.read(), a.values);
  GA_Fill(b.handle(), &alpha);
  EXPECT_EQ(b.read(), std::vector<T>(b.values.size(), alpha));
  GA_Zero(b.handle());
  EXPECT_EQ(b.read(), std::vector<T>(b.values.size(), T(0)));
}

TYPED_TEST(AlgebraOfMatrices, RandomNumbersStayBelowTheValue) {
  using T = TypeParam;
  Twin<T> a({30, 20}, this->chance);
  T limit(10);
  if constexpr (is_complex<T>) limit = T(10, 10);
  GA_Randomize(a.handle(), &limit);
  const std::vector<T> first = a.read();
  double sum = 0;
  const auto check = [&](double x) {
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 10);
    sum += x;
  };
  for (const T& x : first) {
    if constexpr (is_complex<T>) {
      check(static_cast<double>(x.real()));
      check(static_cast<double>(x.imag()));
      sum -= static_cast<double>(x.imag());
    } else {
      check(static_cast<double>(x));
    }
  }
  EXPECT_NEAR(sum / 600, std::is_integral_v<T> ? 4.5 : 5, 0.6);
  GA_Randomize(a.handle(), &limit);
  EXPECT_NE(a.read(), first);
}

TYPED_TEST(AlgebraOfMatrices, TransposesAndDiagonals) {
  using T = TypeParam;
  Twin<T> a({6, 9}, this->chance), turned({9, 6}, this->chance), v({6}, this->chance);
  GA_Transpose(a.handle(), turned.handle());
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 9; ++j) element(turned, j, i) = element(a, i, j);
  EXPECT_EQ(turned.read(), turned.values);
  GA_Add_diagonal(a.handle(), v.handle());
  for (int i = 0; i < 6; ++i) element(a, i, i) += v.values[static_cast<std::size_t>(i)];
  T shift = this->chance.template number<T>();
  GA_Shift_diagonal(a.handle(), &shift);
  for (int i = 0; i < 6; ++i) element(a, i, i) += shift;
  EXPECT_EQ(a.read(), a.values);
  GA_Get_diag(a.handle(), v.handle());
  for (int i = 0; i < 6; ++i) v.values[static_cast<std::size_t>(i)] = element(a, i, i);
  EXPECT_EQ(v.read(), v.values);
  GA_Zero_diagonal(a.handle());
  for (int i = 0; i < 6; ++i) element(a, i, i) = T(0);
  EXPECT_EQ(a.read(), a.values);
  GA_Set_diagonal(a.handle(), v.handle());
  for (int i = 0; i < 6; ++i) element(a, i, i) = v.values[static_cast<std::size_t>(i)];
  EXPECT_EQ(a.read(), a.values);
}

TYPED_TEST(AlgebraOfMatrices, RowsAreThoseOfC) {
  using T = TypeParam;
  Twin<T> a({4, 7}, this->chance), rows({4}, this->chance), columns({7}, this->chance);
  GA_Scale_rows(a.handle(), rows.handle());
  GA_Scale_cols(a.handle(), columns.handle());
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 7; ++j)
      element(a, i, j) *=
          rows.values[static_cast<std::size_t>(i)] * columns.values[static_cast<std::size_t>(j)];
  EXPECT_EQ(a.read(), a.values);
}

TYPED_TEST(AlgebraOfMatrices, NormsAreThoseOfAllElements) {
  using T = TypeParam;
  Twin<T> a({6, 5}, this->chance);
  double sum = 0, largest = 0;
  for (const T& x : a.values) {
    sum += static_cast<double>(std::abs(x));
    largest = std::max(largest, static_cast<double>(std::abs(x)));
  }
  double norm = 0;
  GA_Norm1(a.handle(), &norm);
  EXPECT_NEAR(norm, sum, 1e-5 * sum);
  GA_Norm_infinity(a.handle(), &norm);
  EXPECT_NEAR(norm, largest, 1e-5);
}

TYPED_TEST(AlgebraOfMatrices, TheExtremeElementAndItsPlace) {
  using T = TypeParam;
  Twin<T> a({5, 4, 3}, this->chance);
  a.values[37] = T(99);
  a.values[11] = is_complex<TypeParam> ? T(0) : T(-99);
  a.write();
  T value(0);
  int index[3] = {};
  NGA_Select_elem(a.handle(), "max", &value, index);
  EXPECT_EQ(value, T(99));
  EXPECT_EQ((index[0] * 4 + index[1]) * 3 + index[2], 37);
  int64_t place[3] = {};
  NGA_Select_elem64(a.handle(), "min", &value, place);
  EXPECT_EQ(value, a.values[11]);
  EXPECT_EQ((place[0] * 4 + place[1]) * 3 + place[2], 11);
}

TYPED_TEST(Products, SymmetrizeTakesTheMean) {
  using T = TypeParam;
  Twin<T> a({6, 6}, this->chance);
  GA_Symmetrize(a.handle());
  const std::vector<T> before = a.values;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      a.values[i * 6 + j] = (before[i * 6 + j] + before[j * 6 + i]) / T(2);
  EXPECT_EQ(a.read(), a.values);
}

// Fortran's last two dimensions are C's first two; only they are equal.
TYPED_TEST(Products, SymmetrizeTakesTheMeanForEachIndexOfTheOtherDimensions) {
  using T = TypeParam;
  for (const std::vector<int>& shape :
       {std::vector<int>{7, 7, 3}, {5, 5, 2, 4}, {4, 4, 5, 1, 2}, {1, 1, 6}}) {
    Twin<T> a(shape, this->chance);
    GA_Symmetrize(a.handle());
    const std::vector<T> before = a.values;
    const auto n = static_cast<std::size_t>(shape[0]), rest = before.size() / (n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < rest; ++k)
          a.values[(i * n + j) * rest + k] =
              (before[(i * n + j) * rest + k] + before[(j * n + i) * rest + k]) / T(2);
    EXPECT_EQ(a.read(), a.values);
  }
}

TYPED_TEST(Products, ReciprocalsAndModuliInPlace) {
  using T = TypeParam;
  Twin<T> a({5, 3}, this->chance);
  GA_Recip(a.handle());
  std::vector<T> now = a.read();
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_LT(std::abs(now[i] * a.values[i] - T(1)), 1e-6);
  GA_Abs_value(a.handle());
  const std::vector<T> moduli = a.read();
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_LT(std::abs(moduli[i] - T(std::abs(now[i]))), 1e-6);
}

TEST(AlgebraOfRealNumbers, TheMedianIsTheMiddleOne) {
  Chance chance(6);
  Twin<double> a({5, 6}, chance), b({30}, chance), c({5, 6}, chance), m({5, 6}, chance);
  int64_t lo[] = {0, 0}, hi[] = {4, 5}, first = 0, last = 29;
  GA_Median_patch64(a.handle(), lo, hi, b.handle(), &first, &last, c.handle(), lo, hi, m.handle(),
                    lo, hi);
  for (std::size_t i = 0; i < 30; ++i) {
    std::vector<double> three{a.values[i], b.values[i], c.values[i]};
    std::ranges::sort(three);
    m.values[i] = three[1];
  }
  EXPECT_EQ(m.read(), m.values);
  GA_Median(m.handle(), m.handle(), a.handle(), a.handle());
  EXPECT_EQ(a.read(), m.values);
}

TYPED_TEST(Products, OfLeadingPartsInAllForms) {
  using T = TypeParam;
  const int m = 4, n = 5, k = 6;
  for (const char form_a : {'n', 't', 'c'})
    for (const char form_b : {'n', 't', 'c'}) {
      Twin<T> a(form_a == 'n' ? std::vector{m + 1, k} : std::vector{k + 2, m}, this->chance),
          b(form_b == 'n' ? std::vector{k, n + 1} : std::vector{n + 1, k + 1}, this->chance),
          c({m + 1, n + 2}, this->chance);
      const T alpha = this->chance.template number<T>(), beta = this->chance.template number<T>();
      gemm(form_a, form_b, m, n, k, alpha, a.handle(), b.handle(), beta, c.handle());
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          T sum(0);
          for (int l = 0; l < k; ++l) sum += of(a, form_a, i, l) * of(b, form_b, l, j);
          element(c, i, j) = alpha * sum + beta * element(c, i, j);
        }
      EXPECT_EQ(c.read(), c.values) << form_a << form_b;
    }
}

TYPED_TEST(Products, OfPatchesWithUnitDimensions) {
  using T = TypeParam;
  Twin<T> a({2, 6, 5}, this->chance), b({6, 3, 7}, this->chance), c({5, 2, 1, 6}, this->chance);
  // a[1, 1:5, 0:3] times the transpose of b[1:5, 2, 2:5], into c[0:4, 1, 0, 1:5].
  int alo[] = {1, 1, 0}, ahi[] = {1, 4, 2};
  int blo[] = {2, 2, 1}, bhi[] = {4, 2, 4};  // of what is multiplied: the transpose
  int clo[] = {0, 1, 0, 1}, chi[] = {3, 1, 0, 4};
  T alpha(2), beta(3);
  NGA_Matmul_patch('n', 'T', &alpha, &beta, a.handle(), alo, ahi, b.handle(), blo, bhi, c.handle(),
                   clo, chi);
  const auto in_a = a.places({{1, 1, 0}, {1, 4, 2}}), in_b = b.places({{1, 2, 2}, {4, 2, 4}}),
             in_c = c.places({{0, 1, 0, 1}, {3, 1, 0, 4}});
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      T sum(0);
      for (std::size_t l = 0; l < 3; ++l)
        sum += a.values[in_a[i * 3 + l]] * b.values[in_b[j * 3 + l]];
      T& result = c.values[in_c[i * 4 + j]];
      result = alpha * sum + beta * result;
    }
  EXPECT_EQ(c.read(), c.values);
}

// Of three dimensions one is long. As C sees them its rows and columns are the dimension before and
// the long one; transposed the long one and the next; or what makes the three shapes agree.
TYPED_TEST(Products, OfVectorsInThreeDimensions) {
  using T = TypeParam;
  T alpha(2), beta(3);
  int lo[] = {1, 0, 2}, hi[] = {1, 3, 2};  // 4 elements
  {
    Twin<T> a({3, 4, 5}, this->chance), b({4, 6}, this->chance), c({2, 6, 3}, this->chance);
    int blo[] = {0, 0}, bhi[] = {3, 5}, clo[] = {1, 0, 0}, chi[] = {1, 5, 0};
    NGA_Matmul_patch('n', 'n', &alpha, &beta, a.handle(), lo, hi, b.handle(), blo, bhi, c.handle(),
                     clo, chi);
    for (std::size_t j = 0; j < 6; ++j) {
      T sum(0);
      for (std::size_t l = 0; l < 4; ++l) sum += a.values[(4 + l) * 5 + 2] * b.values[l * 6 + j];
      T& result = c.values[(6 + j) * 3];
      result = alpha * sum + beta * result;
    }
    EXPECT_EQ(c.read(), c.values);
  }
  for (const char form : {'n', 't'}) {  // an outer product; what is transposed lies along the last
    Twin<T> a({3, 4, 5}, this->chance), b({1, 6}, this->chance), c({4, 6}, this->chance);
    int blo[] = {0, 0}, bhi[] = {0, 5}, chi[] = {3, 5};
    NGA_Matmul_patch(form, 'n', &alpha, &beta, a.handle(), lo, hi, b.handle(), blo, bhi, c.handle(),
                     blo, chi);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        const T left = form == 'n' ? a.values[(4 + i) * 5 + 2] : a.values[(4 + 2) * 5 + i];
        T& result = c.values[i * 6 + j];
        result = alpha * left * b.values[j] + beta * result;
      }
    EXPECT_EQ(c.read(), c.values) << form;
  }
}

// In Fortran a(1, 1:2, 1) is 2 x 1 by itself and c(1, 1:3, 1) is 3 x 1, but b is 2 x 3.
TYPED_TEST(Products, OfVectorsAreThoseThatAgree) {
  using T = TypeParam;
  Twin<T> a({1, 2, 1}, this->chance), b({3, 2}, this->chance), c({1, 3, 1}, this->chance);
  const T alpha(2), beta(3);
  const Integer g_a = a.handle(), g_b = b.handle(), g_c = c.handle();
  const Integer one[] = {1, 1, 1}, of_a[] = {1, 2, 1}, of_b[] = {2, 3}, of_c[] = {1, 3, 1};
  nga_matmul_patch_("n", "n", &alpha, &beta, &g_a, one, of_a, &g_b, one, of_b, &g_c, one, of_c);
  for (std::size_t j = 0; j < 3; ++j)
    c.values[j] = alpha * (a.values[0] * b.values[2 * j] + a.values[1] * b.values[2 * j + 1]) +
                  beta * c.values[j];
  EXPECT_EQ(c.read(), c.values);
}

TYPED_TEST(Products, MatmulPatchReadsItsBoundsAsFortran) {
  using T = TypeParam;
  // In Fortran's view a is 6 x 5, b is 7 x 6 and c is 8 x 7.
  Twin<T> a({5, 6}, this->chance), b({6, 7}, this->chance), c({7, 8}, this->chance);
  T alpha(2), beta(1);
  // c(2:4, 1:3) += 2 a(1:3, 0:1) b(4:5, 2:4), from 0.
  GA_Matmul_patch('n', 'n', &alpha, &beta, a.handle(), 1, 3, 0, 1, b.handle(), 4, 5, 2, 4,
                  c.handle(), 2, 4, 1, 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int l = 0; l < 2; ++l)
        element(c, 1 + j, 2 + i) += alpha * element(a, l, 1 + i) * element(b, 2 + j, 4 + l);
  EXPECT_EQ(c.read(), c.values);
}

TYPED_TEST(Products, OfPatchesOfOneArrayGoIntoAnotherOfItsPatches) {
  using T = TypeParam;
  Twin<T> a({6, 7}, this->chance);
  const std::vector<T> before = a.values;
  const auto old = [&](int i, int j) { return before[static_cast<std::size_t>(i * 7 + j)]; };
  T alpha(2), beta(1);
  // a[4:6, 4:7] += 2 a[0:2, 0:3] a[1:4, 1:4].
  int alo[] = {0, 0}, ahi[] = {1, 2}, blo[] = {1, 1}, bhi[] = {3, 3}, clo[] = {4, 4},
      chi[] = {5, 6};
  NGA_Matmul_patch('n', 'n', &alpha, &beta, a.handle(), alo, ahi, a.handle(), blo, bhi, a.handle(),
                   clo, chi);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int l = 0; l < 3; ++l) element(a, 4 + i, 4 + j) += alpha * old(i, l) * old(1 + l, 1 + j);
  EXPECT_EQ(a.read(), a.values);
}

TYPED_TEST(Products, BoundsOfPatchesAreThoseOfTheTransposedMatrix) {
  using T = TypeParam;
  // In Fortran's view a is 5 x 6, b is 7 x 6 and c is 8 x 7: a^T [1:4, 0:2] times b^T [0:2, 2:7].
  Twin<T> a({6, 5}, this->chance), b({6, 7}, this->chance), c({7, 8}, this->chance);
  T alpha(2), beta(1);
  GA_Matmul_patch('t', 't', &alpha, &beta, a.handle(), 1, 3, 0, 1, b.handle(), 0, 1, 2, 6,
                  c.handle(), 2, 4, 1, 5);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int l = 0; l < 2; ++l)
        element(c, 1 + j, 2 + i) += alpha * element(a, 1 + i, l) * element(b, l, 2 + j);
  EXPECT_EQ(c.read(), c.values);
}

TEST(AlgebraOfSteps, ReachTheBounds) {
  Chance chance(3);
  Twin<double> x({3}, chance), v({3}, chance), lower({3}, chance), upper({3}, chance);
  const auto set = [](Twin<double>& a, std::vector<double> values) {
    a.values = std::move(values);
    a.write();
  };
  set(x, {1, 2, 3});
  set(v, {1, -1, 2});
  set(lower, {0, 0, 0});
  set(upper, {5, 5, 5});
  double least = 0, wolfe = 0, most = 0, step = 0;
  GA_Step_bound_info(x.handle(), v.handle(), lower.handle(), upper.handle(), &least, &wolfe, &most);
  EXPECT_EQ(least, 1);
  EXPECT_EQ(wolfe, 1);
  EXPECT_EQ(most, 4);
  GA_Step_max(x.handle(), v.handle(), &step);
  EXPECT_EQ(step, 2);
  set(v, {1, 0, 2});
  GA_Step_bound_info(x.handle(), v.handle(), lower.handle(), upper.handle(), &least, &wolfe, &most);
  EXPECT_EQ(most, 1e307);
  GA_Step_max(x.handle(), v.handle(), &step);
  EXPECT_EQ(step, 1e307);
  // On its bound.
  set(x, {1, 2, 5});
  int lo = 1, hi = 2;
  GA_Step_bound_info_patch(x.handle(), &lo, &hi, v.handle(), &lo, &hi, lower.handle(), &lo, &hi,
                           upper.handle(), &lo, &hi, &least, &wolfe, &most);
  EXPECT_EQ(least, 0);
  EXPECT_EQ(wolfe, 0);
}

TEST(AlgebraOfVectors, ScansAndPacksInOrder) {
  Chance chance(4);
  Twin<int> a({9}, chance), mask({9}, chance), b({9}, chance);
  int start = 3, step = 2, count = -1;
  GA_Patch_enum(a.handle(), 0, 8, &start, &step);
  std::vector<int> values(9);
  for (int i = 0; i < 9; ++i) values[static_cast<std::size_t>(i)] = 3 + 2 * i;
  EXPECT_EQ(a.read(), values);
  mask.values = {0, 0, 1, 0, 1, 0, 0, 7, 0};
  mask.write();
  GA_Scan_add(a.handle(), b.handle(), mask.handle(), 0, 8, 0);
  const int x = b.values[0], y = b.values[1];  // no mark before: they stay
  EXPECT_EQ(b.read(), (std::vector<int>{x, y, 7, 16, 11, 24, 39, 17, 36}));
  GA_Scan_add(a.handle(), b.handle(), mask.handle(), 0, 8, 1);
  EXPECT_EQ(b.read(), (std::vector<int>{x, y, 0, 7, 0, 11, 24, 0, 17}));
  GA_Scan_copy(a.handle(), b.handle(), mask.handle(), 0, 8);
  EXPECT_EQ(b.read(), (std::vector<int>{0, 0, 7, 7, 11, 11, 11, 17, 17}));
  GA_Zero(b.handle());
  GA_Pack(a.handle(), b.handle(), mask.handle(), 1, 8, &count);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(b.read(), (std::vector<int>{7, 11, 17, 0, 0, 0, 0, 0, 0}));
  GA_Zero(b.handle());
  GA_Unpack(a.handle(), b.handle(), mask.handle(), 1, 8, &count);
  EXPECT_EQ(b.read(), (std::vector<int>{0, 0, 3, 0, 5, 0, 0, 7, 0}));
}

TEST(AlgebraOfMirroredArrays, CopiesReachEveryNode) {
  Chance chance(5);
  Twin<double> a({6, 8}, chance), back({6, 8}, chance);
  int shape[] = {6, 8}, long_shape[] = {48}, chunk[] = {-1, -1};
  const int mirror = NGA_Create_config(MT_C_DBL, 2, shape, "m", chunk, GA_Pgroup_get_mirror());
  const int line = NGA_Create_config(MT_C_DBL, 1, long_shape, "l", chunk, GA_Pgroup_get_mirror());
  GA_Copy(a.handle(), mirror);
  double two = 2, zero = 0;
  GA_Add(&two, mirror, &zero, mirror, mirror);
  int lo[] = {0, 0}, hi[] = {5, 7}, line_lo[] = {0}, line_hi[] = {47}, leading[] = {8};
  NGA_Copy_patch('n', mirror, lo, hi, line, line_lo, line_hi);
  std::vector<double> there(48);
  NGA_Get(line, line_lo, line_hi, there.data(), leading);
  for (double& x : a.values) x *= 2;
  EXPECT_EQ(there, a.values);
  GA_Copy(mirror, back.handle());
  EXPECT_EQ(back.read(), a.values);
  GA_Destroy(line);
  GA_Destroy(mirror);
}

}  // namespace algebra_test
