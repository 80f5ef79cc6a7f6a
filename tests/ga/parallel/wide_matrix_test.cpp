// Products of matrices, vectors in order and sparse matrices by names with integers of 64 bits: the
// same as by the narrow ones, and what loops say.
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <vector>

#include "algebra_serial.hpp"

namespace algebra_test {

namespace {

template <class T>
T& element(Twin<T>& a, int i, int j) {
  return a.values[static_cast<std::size_t>(i * a.shape()[1] + j)];
}

/// c = 2 a b - c, twice, by a call each.
template <class T, class Call, class Call64>
void check_product(Call call, Call64 call64) {
  Chance chance(8);
  const int m = 4, n = 5, k = 6;
  Twin<T> a({m, k}, chance), b({n, k}, chance), c({m, n}, chance);
  for (const bool wide : {false, true}) {
    if (wide)
      call64('n', 't', m, n, k, T(2), a.handle(), b.handle(), T(-1), c.handle());
    else
      call('n', 't', m, n, k, T(2), a.handle(), b.handle(), T(-1), c.handle());
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        T sum(0);
        for (int l = 0; l < k; ++l) sum += element(a, i, l) * element(b, j, l);
        element(c, i, j) = T(2) * sum - element(c, i, j);
      }
    EXPECT_EQ(c.read(), c.values);
  }
}

/// A call that takes complex numbers as GA's structures takes them as C++'s.
template <class Structure, class Call>
auto of_structures(Call call) {
  return
      [call](char ta, char tb, auto m, auto n, auto k, auto alpha, int a, int b, auto beta, int c) {
        call(ta, tb, m, n, k, Structure{alpha.real(), alpha.imag()}, a, b,
             Structure{beta.real(), beta.imag()}, c);
      };
}

TEST(WideProducts, AreTheSame) {
  check_product<float>(GA_Sgemm, GA_Sgemm64);
  check_product<double>(GA_Dgemm, GA_Dgemm64);
  check_product<std::complex<float>>(of_structures<SingleComplex>(GA_Cgemm),
                                     of_structures<SingleComplex>(GA_Cgemm64));
  check_product<std::complex<double>>(of_structures<DoubleComplex>(GA_Zgemm),
                                      of_structures<DoubleComplex>(GA_Zgemm64));
}

TEST(WideProducts, OfPatchesReadTheirBoundsAsTheNarrowOnesDo) {
  Chance chance(9);
  Twin<double> a({5, 6}, chance), b({6, 7}, chance), c({7, 8}, chance);
  double alpha = 2, beta = 1;
  // As Fortran sees it: c(2:4, 1:3) += 2 a(1:3, 0:1) b(4:5, 2:4), from 0.
  const auto add_product = [&] {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 2; ++l)
          element(c, 1 + j, 2 + i) += 2 * element(a, l, 1 + i) * element(b, 2 + j, 4 + l);
    EXPECT_EQ(c.read(), c.values);
  };
  GA_Matmul_patch('n', 'n', &alpha, &beta, a.handle(), 1, 3, 0, 1, b.handle(), 4, 5, 2, 4,
                  c.handle(), 2, 4, 1, 3);
  add_product();
  GA_Matmul_patch64('n', 'n', &alpha, &beta, a.handle(), 1, 3, 0, 1, b.handle(), 4, 5, 2, 4,
                    c.handle(), 2, 4, 1, 3);
  add_product();
  // As C sees it: c[0:2, 5:6] += 2 a[1:3, 2:5] b[1:4, 3:4].
  int64_t alo[] = {1, 2}, ahi[] = {3, 5}, blo[] = {1, 3}, bhi[] = {4, 4}, clo[] = {0, 5},
          chi[] = {2, 6};
  NGA_Matmul_patch64('n', 'n', &alpha, &beta, a.handle(), alo, ahi, b.handle(), blo, bhi,
                     c.handle(), clo, chi);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      for (int l = 0; l < 4; ++l)
        element(c, i, 5 + j) += 2 * element(a, 1 + i, 2 + l) * element(b, 1 + l, 3 + j);
  EXPECT_EQ(c.read(), c.values);
}

TEST(WideVectors, AreScannedAndPackedInTheSameOrder) {
  Chance chance(4);
  Twin<int> a({9}, chance), mask({9}, chance), b({9}, chance);
  int start = 3, step = 2;
  int64_t count = -1;
  GA_Patch_enum64(a.handle(), 0, 8, &start, &step);
  EXPECT_EQ(a.read(), (std::vector<int>{3, 5, 7, 9, 11, 13, 15, 17, 19}));
  mask.values = {0, 0, 1, 0, 1, 0, 0, 7, 0};
  mask.write();
  GA_Scan_add64(a.handle(), b.handle(), mask.handle(), 0, 8, 1);
  EXPECT_EQ(b.read(), (std::vector<int>{b.values[0], b.values[1], 0, 7, 0, 11, 24, 0, 17}));
  GA_Scan_copy64(a.handle(), b.handle(), mask.handle(), 0, 8);
  EXPECT_EQ(b.read(), (std::vector<int>{0, 0, 7, 7, 11, 11, 11, 17, 17}));
  GA_Zero(b.handle());
  GA_Pack64(a.handle(), b.handle(), mask.handle(), 1, 8, &count);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(b.read(), (std::vector<int>{7, 11, 17, 0, 0, 0, 0, 0, 0}));
  GA_Zero(b.handle());
  count = -1;
  GA_Unpack64(a.handle(), b.handle(), mask.handle(), 1, 8, &count);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(b.read(), (std::vector<int>{0, 0, 3, 0, 5, 0, 0, 7, 0}));
}

/// What a block of a sparse matrix holds: 7 i + j + 1 at (i, j) where i + j is a multiple of 3.
template <class I, class Get>
int check_block(Get get) {
  I *starts = nullptr, *columns = nullptr, ilo = -1, ihi = -1, jlo = -1, jhi = -1;
  void* values = nullptr;
  int elements = 0;
  if (get(&starts, &columns, &values, &ilo, &ihi, &jlo, &jhi) == 0) return 0;
  for (I i = ilo; i <= ihi; ++i)
    for (I k = starts[i - ilo]; k < starts[i - ilo + 1]; ++k, ++elements) {
      EXPECT_TRUE(jlo <= columns[k] && columns[k] <= jhi && (i + columns[k]) % 3 == 0);
      EXPECT_EQ(static_cast<double*>(values)[k], static_cast<double>(7 * i + columns[k] + 1));
    }
  std::free(starts);
  std::free(columns);
  std::free(values);
  return elements;
}

TEST(WideSparse, MatricesHoldTheSame) {
  const int s_a = NGA_Sprs_array_create64(9, 7, C_DBL);
  int added = 0;
  for (int64_t i = 0; i < 9; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      if ((i + j) % 3 != 0) continue;
      ++added;
      double value = static_cast<double>(7 * i + j + 1);
      if ((i * j) % GA_Nnodes() == GA_Nodeid()) NGA_Sprs_array_add_element64(s_a, i, j, &value);
    }
  EXPECT_EQ(NGA_Sprs_array_assemble(s_a), 1);
  const int dense = NGA_Sprs_array_create_from_sparse(s_a);
  const int again = NGA_Sprs_array_create_from_dense64(dense);
  for (const int s : {s_a, again}) {
    int elements = 0, elements64 = 0;
    for (int p = 0; p < GA_Nnodes(); ++p) {
      int lo = -1, hi = -1;
      int64_t lo64 = -2, hi64 = -2;
      NGA_Sprs_array_row_distribution(s, p, &lo, &hi);
      NGA_Sprs_array_row_distribution64(s, p, &lo64, &hi64);
      EXPECT_EQ(lo, lo64);
      EXPECT_EQ(hi, hi64);
      for (int q = 0; q < GA_Nnodes(); ++q) {
        elements += check_block<int>(
            [&](auto... out) { return NGA_Sprs_array_get_block(s, p, q, out...); });
        elements64 += check_block<int64_t>(
            [&](auto... out) { return NGA_Sprs_array_get_block64(s, p, q, out...); });
      }
    }
    EXPECT_EQ(elements, added);
    EXPECT_EQ(elements64, added);
  }
  GA_Sync();
  GA_Destroy(dense);
  NGA_Sprs_array_destroy(again);
  NGA_Sprs_array_destroy(s_a);
}

}  // namespace

}  // namespace algebra_test
