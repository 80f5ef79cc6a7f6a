// Sparse arrays beside dense copies that every process keeps.
#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "algebra_serial.hpp"

extern "C" Integer nga_sprs_array_count_sketch_(const Integer* s_a, const Integer* size_k,
                                                Integer* g_k, Integer* g_w);
#ifdef ATOLL_TEST_FORTRAN
extern "C" void sparse_program_in_fortran_(Integer* line);
#endif

namespace {

using algebra_test::Chance;
using algebra_test::code;
using algebra_test::Twin;

/// A matrix in this process's memory.
template <class T>
struct Serial {
  Serial(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  T& operator()(int i, int j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  int rows, columns;
  std::vector<T> values;
};

template <class T>
Serial<T> product(Serial<T> a, Serial<T> b) {
  Serial<T> c(a.rows, b.columns);
  for (int i = 0; i < c.rows; ++i)
    for (int j = 0; j < c.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

/// All of a dense array.
template <class T>
std::vector<T> read_dense(int g_a, std::vector<int> shape) {
  std::size_t count = 1;
  for (int& extent : shape) count *= static_cast<std::size_t>(extent--);
  std::vector<T> values(count);
  std::vector<int> lo(shape.size(), 0), leading{shape.back() + 1};
  NGA_Get(g_a, lo.data(), shape.data(), values.data(), leading.data());
  GA_Sync();
  return values;
}

/// All of a sparse array, block by block from everybody.
template <class T>
Serial<T> read_sparse(int s_a, int rows, int columns) {
  Serial<T> result(rows, columns);
  for (int r = 0; r < GA_Nnodes(); ++r)
    for (int c = 0; c < GA_Nnodes(); ++c) {
      int *idx, *jdx, ilo, ihi, jlo, jhi;
      void* data;
      if (NGA_Sprs_array_get_block(s_a, r, c, &idx, &jdx, &data, &ilo, &ihi, &jlo, &jhi) == 0)
        continue;
      for (int i = ilo; i <= ihi; ++i)
        for (int k = idx[i - ilo]; k < idx[i - ilo + 1]; ++k) {
          EXPECT_GE(jdx[k], jlo);
          EXPECT_LE(jdx[k], jhi);
          result(i, jdx[k]) += static_cast<T*>(data)[k];
        }
      std::free(idx);
      std::free(jdx);
      std::free(data);
    }
  GA_Sync();
  return result;
}

/// A sparse array and what it is to be. Each element is added by one process, some by two.
template <class T>
class Pair {
 public:
  Pair(int rows, int columns, Chance& chance)
      : model(rows, columns), handle(NGA_Sprs_array_create(rows, columns, code<T>)) {
    const int processes = GA_Nnodes();
    for (int k = 0; k < rows * columns / 4 + 1; ++k) {
      const int i = chance.between(0, rows - 1), j = chance.between(0, columns - 1);
      T value = chance.number<T>();
      model(i, j) += value;
      if (chance.between(0, processes - 1) == GA_Nodeid())
        NGA_Sprs_array_add_element(handle, i, j, &value);
    }
    EXPECT_EQ(NGA_Sprs_array_assemble(handle), 1);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { NGA_Sprs_array_destroy(handle); }
  std::vector<T> read() const { return read_sparse<T>(handle, model.rows, model.columns).values; }

  Serial<T> model;
  int handle;
};

template <class T>
class SparseArrays : public testing::Test {
 protected:
  Chance chance{4711};
};
using Numbers = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SparseArrays, Numbers);

}  // namespace

TYPED_TEST(SparseArrays, AnyProcessAddsAnyElementAndSumsWhatIsAddedTwice) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair(17, 23), {1, 40}, {40, 1}, {3, 2}}) {
    Pair<T> a(rows, columns, this->chance);
    EXPECT_EQ(a.read(), a.model.values);
  }
  const int empty = NGA_Sprs_array_create64(5, 6, code<T>);
  NGA_Sprs_array_assemble(empty);
  EXPECT_EQ(read_sparse<T>(empty, 5, 6).values, std::vector<T>(30));
  NGA_Sprs_array_destroy(empty);
}

TYPED_TEST(SparseArrays, ScalingsAndDiagonals) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair(12, 12), {9, 14}, {14, 9}}) {
    Pair<T> a(rows, columns, this->chance);
    Twin<T> left({rows}, this->chance), right({columns}, this->chance);
    NGA_Sprs_array_diag_left_multiply(a.handle, left.handle());
    NGA_Sprs_array_diag_right_multiply(a.handle, right.handle());
    T factor = this->chance.template number<T>(), shift = this->chance.template number<T>();
    NGA_Sprs_array_scale(a.handle, &factor);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a.model(i, j) *= left.values[static_cast<std::size_t>(i)] *
                         right.values[static_cast<std::size_t>(j)] * factor;
    EXPECT_EQ(a.read(), a.model.values);
    for (int again = 0; again < 2; ++again) {  // first elements are missing, then none
      NGA_Sprs_array_shift_diag(a.handle, &shift);
      for (int i = 0; i < std::min(rows, columns); ++i) a.model(i, i) += shift;
      EXPECT_EQ(a.read(), a.model.values);
    }
    int g_d = 0;
    NGA_Sprs_array_get_diag(a.handle, &g_d);
    std::vector<T> diagonal;
    for (int i = 0; i < std::min(rows, columns); ++i) diagonal.push_back(a.model(i, i));
    EXPECT_EQ(read_dense<T>(g_d, {std::min(rows, columns)}), diagonal);
    GA_Destroy(g_d);
  }
}

TYPED_TEST(SparseArrays, ColumnsAreVectorsThatLieAsTheRowsDo) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair(12, 9), {2, 5}, {30, 1}}) {
    Pair<T> a(rows, columns, this->chance);
    for (int j = 0; j < columns; j += 2) {
      const int g_v = j % 4 == 0 ? NGA_Sprs_array_get_column(a.handle, j)
                                 : NGA_Sprs_array_get_column64(a.handle, j);
      std::vector<T> expected;
      for (int i = 0; i < rows; ++i) expected.push_back(a.model(i, j));
      EXPECT_EQ(read_dense<T>(g_v, {rows}), expected);
      for (int process = 0; process < GA_Nnodes(); ++process) {
        int lo = 0, hi = 0, row_lo = 0, row_hi = 0;
        NGA_Distribution(g_v, process, &lo, &hi);
        NGA_Sprs_array_row_distribution(a.handle, process, &row_lo, &row_hi);
        if (row_hi < row_lo)
          EXPECT_EQ(lo, -1);
        else
          EXPECT_EQ(std::pair(lo, hi), std::pair(row_lo, row_hi));
      }
      GA_Sync();
      GA_Destroy(g_v);
    }
  }
}

/// S A as the two vectors tell it.
template <class T>
Serial<T> sketched(Serial<T> a, int extent, int g_k, int g_w, std::vector<int>* rows = nullptr) {
  const std::vector<int> k = read_dense<int>(g_k, {a.rows});
  const std::vector<T> w = read_dense<T>(g_w, {a.rows});
  Serial<T> result(extent, a.columns);
  for (int i = 0; i < a.rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_TRUE(k[at] >= 0 && k[at] < extent);
    EXPECT_TRUE(w[at] == T(1) || w[at] == T(-1));
    for (int j = 0; j < a.columns; ++j) result(k[at], j) += w[at] * a(i, j);
  }
  if (rows != nullptr) *rows = k;
  return result;
}

TYPED_TEST(SparseArrays, SketchesSumRowsWithRandomSigns) {
  using T = TypeParam;
  Pair<T> a(40, 7, this->chance);
  for (const int extent : {1, 5, 60}) {
    std::vector<int> first, second;
    for (std::vector<int>* rows : {&first, &second}) {
      int g_k = 0, g_w = 0;
      if (rows == &first) NGA_Rand(4711);
      const int g_s = NGA_Sprs_array_count_sketch(a.handle, extent, &g_k, &g_w);
      EXPECT_EQ(read_dense<T>(g_s, {extent, 7}), sketched(a.model, extent, g_k, g_w, rows).values);
      for (const int g_a : {g_s, g_k, g_w}) GA_Destroy(g_a);
    }
    EXPECT_TRUE(extent == 1 || first != second);  // another one each time
    // The same seed, in Fortran, whose matrix is C's transpose.
    NGA_Rand(4711);
    const Integer s_a = a.handle, size = extent;
    Integer k = 0, w = 0;
    const int g_s = static_cast<int>(nga_sprs_array_count_sketch_(&s_a, &size, &k, &w));
    const int g_k = static_cast<int>(k), g_w = static_cast<int>(w);
    std::vector<int> again;
    Serial<T> expected = sketched(a.model, extent, g_k, g_w, &again);
    EXPECT_EQ(again, first);
    const std::vector<T> turned = read_dense<T>(g_s, {7, extent});
    for (int i = 0; i < extent; ++i)
      for (int j = 0; j < 7; ++j)
        EXPECT_EQ(turned[static_cast<std::size_t>(j * extent + i)], expected(i, j));
    for (const int g_a : {g_s, g_k, g_w}) GA_Destroy(g_a);
  }
}

TYPED_TEST(SparseArrays, ProductsAreThoseOfDenseMatrices) {
  using T = TypeParam;
  Pair<T> a(11, 15, this->chance), b(15, 7, this->chance);
  Twin<T> v({15}, this->chance), w({11}, this->chance), right({15, 6}, this->chance),
      left({5, 11}, this->chance);
  NGA_Sprs_array_matvec_multiply(a.handle, v.handle(), w.handle());
  Serial<T> column(15, 1);
  column.values = v.values;
  EXPECT_EQ(w.read(), product(a.model, column).values);

  const int c = NGA_Sprs_array_matmat_multiply(a.handle, b.handle);
  EXPECT_EQ(read_sparse<T>(c, 11, 7).values, product(a.model, b.model).values);
  NGA_Sprs_array_destroy(c);

  Serial<T> dense(15, 6);
  dense.values = right.values;
  const int g_c = NGA_Sprs_array_sprsdns_multiply(a.handle, right.handle());
  EXPECT_EQ(read_dense<T>(g_c, {11, 6}), product(a.model, dense).values);
  GA_Destroy(g_c);

  Serial<T> other(5, 11);
  other.values = left.values;
  const int g_d = NGA_Sprs_array_dnssprs_multiply(left.handle(), a.handle);
  EXPECT_EQ(read_dense<T>(g_d, {5, 15}), product(other, a.model).values);
  GA_Destroy(g_d);
}

TYPED_TEST(SparseArrays, CopiesAreIndependentAndDenseOnesComeBack) {
  using T = TypeParam;
  Pair<T> a(13, 8, this->chance);
  const int copy = NGA_Sprs_array_duplicate(a.handle);
  T two(2);
  NGA_Sprs_array_scale(a.handle, &two);
  EXPECT_EQ(read_sparse<T>(copy, 13, 8).values, a.model.values);
  const int g_a = NGA_Sprs_array_create_from_sparse(copy);
  EXPECT_EQ(read_dense<T>(g_a, {13, 8}), a.model.values);
  const int back = NGA_Sprs_array_create_from_dense(g_a);
  EXPECT_EQ(read_sparse<T>(back, 13, 8).values, a.model.values);
  GA_Destroy(g_a);
  NGA_Sprs_array_destroy(back);
  NGA_Sprs_array_destroy(copy);
}

TYPED_TEST(SparseArrays, PointersReachMyBlocksWithIntegersOfBothSizes) {
  using T = TypeParam;
  Pair<T> a(18, 12, this->chance);
  int lo, hi, n, *list;
  NGA_Sprs_array_row_distribution(a.handle, GA_Nodeid(), &lo, &hi);
  NGA_Sprs_array_col_block_list(a.handle, &list, &n);
  const std::set<int> listed(list, list + n);
  std::free(list);
  for (int strip = 0; strip < GA_Nnodes(); ++strip) {
    int64_t jlo, jhi;
    NGA_Sprs_array_column_distribution64(a.handle, strip, &jlo, &jhi);
    Serial<T> found(18, 12), expected(18, 12);
    bool any = false;
    for (int i = lo; i <= hi; ++i)
      for (auto j = static_cast<int>(jlo); j <= jhi; ++j) {
        expected(i, j) = a.model(i, j) * T(3);
        any = any || a.model(i, j) != T(0);
      }
    int64_t *idx64, *jdx64;
    void* values;
    NGA_Sprs_array_access_col_block64(a.handle, strip, &idx64, &jdx64, &values);
    // A sum may be zero, and is an element all the same.
    ASSERT_TRUE(listed.contains(strip) || !any);
    ASSERT_EQ(listed.contains(strip), values != nullptr);
    if (values == nullptr) continue;
    for (int64_t k = 0; k < idx64[hi - lo + 1]; ++k) static_cast<T*>(values)[k] *= T(3);
    int *idx, *jdx;
    NGA_Sprs_array_access_col_block(a.handle, strip, &idx, &jdx, &values);
    for (int i = lo; i <= hi; ++i)
      for (int k = idx[i - lo]; k < idx[i - lo + 1]; ++k) {
        EXPECT_EQ(jdx[k], jdx64[k]);
        EXPECT_TRUE(k == idx[i - lo] || jdx[k - 1] < jdx[k]);
        found(i, jdx[k]) = static_cast<T*>(values)[k];
      }
    EXPECT_EQ(found.values, expected.values);
  }
  GA_Sync();
  for (T& value : a.model.values) value *= T(3);
  EXPECT_EQ(a.read(), a.model.values);
}

TEST(SparseArray, RowsAndColumnsAreCutEvenly) {
  const int s_a = NGA_Sprs_array_create(50, 7, MT_C_DBL);
  const int processes = GA_Nnodes();
  int next_row = 0, next_column = 0;
  for (int p = 0; p < processes; ++p) {
    int lo, hi;
    NGA_Sprs_array_row_distribution(s_a, p, &lo, &hi);
    EXPECT_EQ(lo, next_row);
    EXPECT_GE(hi - lo + 1, 50 / processes);
    EXPECT_LE(hi - lo + 1, 50 / processes + 1);
    next_row = hi + 1;
    NGA_Sprs_array_column_distribution(s_a, p, &lo, &hi);
    EXPECT_EQ(lo, next_column);
    next_column = hi + 1;
  }
  EXPECT_EQ(next_row, 50);
  EXPECT_EQ(next_column, 7);
  const int other = NGA_Sprs_array_create(2, 2, MT_C_INT);
  EXPECT_NE(other, s_a);
  NGA_Sprs_array_destroy(s_a);
  EXPECT_EQ(NGA_Sprs_array_create(3, 3, MT_C_INT), s_a) << "numbers are used again";
  NGA_Sprs_array_destroy(s_a);
  NGA_Sprs_array_destroy(other);
}

TEST(SparseArray, OfAGroupConcernsItsProcessesOnly) {
  std::vector<int> even;
  for (int p = 0; p < GA_Nnodes(); p += 2) even.push_back(p);
  const int group = GA_Pgroup_create(even.data(), static_cast<int>(even.size()));
  if (GA_Nodeid() % 2 == 0) {
    GA_Pgroup_set_default(group);
    {
      Chance chance(5);
      Pair<double> a(10, 10, chance);
      EXPECT_EQ(a.read(), a.model.values);
      const int g_a = NGA_Sprs_array_create_from_sparse(a.handle);
      EXPECT_EQ(read_dense<double>(g_a, {10, 10}), a.model.values);
      GA_Destroy(g_a);
    }
    GA_Pgroup_set_default(GA_Pgroup_get_world());
  }
  GA_Sync();
  GA_Pgroup_destroy(group);
}

TEST(SparseArray, TextCountsFrom1AndTellsEveryElement) {
  Chance chance(99);
  Pair<std::complex<double>> a(9, 11, chance);
  const std::string path = testing::TempDir() + "atoll_sparse.mtx";
  NGA_Sprs_array_export(a.handle, path.c_str());
  if (GA_Nodeid() == 0) {
    std::ifstream file(path);
    std::string header;
    std::getline(file, header);
    EXPECT_EQ(header, "%%MatrixMarket matrix coordinate complex general");
    int rows = 0, columns = 0, count = 0;
    file >> rows >> columns >> count;
    EXPECT_EQ(rows, 9);
    EXPECT_EQ(columns, 11);
    Serial<std::complex<double>> read(9, 11);
    for (int k = 0; k < count; ++k) {
      int i = 0, j = 0;
      double real = 0, imaginary = 0;
      file >> i >> j >> real >> imaginary;
      ASSERT_TRUE(file && i >= 1 && i <= 9 && j >= 1 && j <= 11);
      read(i - 1, j - 1) = {real, imaginary};
    }
    EXPECT_EQ(read.values, a.model.values);
    std::string more;
    EXPECT_FALSE(file >> more);
    std::remove(path.c_str());
  }
  GA_Sync();
}

#ifdef ATOLL_TEST_FORTRAN
TEST(SparseInFortran, CountsRowsAndColumnsFrom1) {
  Integer line = 0;
  sparse_program_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "of sparse_program.F90";
}
#endif
