// Linear systems and eigenvalues by GA's names, against the equations they solve and, for the
// values, against LAPACK in this process. Matrices are as Fortran sees them, on any number of
// ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "dense.hpp"
#include "ga/ga.h"

extern "C" {
void dsygv_(const int* type, const char* jobz, const char* uplo, const int* n, double* a,
            const int* lda, double* b, const int* ldb, double* w, double* work, const int* lwork,
            int* info);
void zheev_(const char* jobz, const char* uplo, const int* n, std::complex<double>* a,
            const int* lda, double* w, std::complex<double>* work, const int* lwork, double* rwork,
            int* info);

// Names that only Fortran has.
Integer ga_cholesky_(const char* uplo, const Integer* g_a, int);
void ga_zeroul_(const char* uplo, const Integer* g_a, int);
Integer ga_llt_f_(const char* uplo, const Integer* g_a, Integer* factor, int);
Integer ga_llt_i_(const char* uplo, const Integer* g_a, const Integer* factor, int);
void ga_llt_s_(const char* uplo, const Integer* g_a, const Integer* g_b, const Integer* factor,
               int);
void ga_pzheevr_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8,
                 Integer* mout);
void ga_pdsyevd_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8);
void ga_pzheevd_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8);
#ifdef ATOLL_TEST_FORTRAN
void solvers_program_in_fortran_(Integer* line);
void complex_pieces_in_fortran_(Integer* line);
#endif
}

namespace {

using namespace dense;

/// The eigenvalues of a v = e s v by LAPACK.
std::vector<double> by_lapack(RealMatrix a, RealMatrix s) {
  const int n = a.rows, type = 1, work_size = 10 * n + 10;
  std::vector<double> values(static_cast<std::size_t>(n)),
      work(static_cast<std::size_t>(work_size));
  int info = 0;
  dsygv_(&type, "N", "L", &n, a.data.data(), &n, s.data.data(), &n, values.data(), work.data(),
         &work_size, &info);
  EXPECT_EQ(info, 0);
  return values;
}

std::vector<double> by_lapack(ComplexMatrix a) {
  const int n = a.rows, work_size = 10 * n + 10;
  std::vector<double> values(static_cast<std::size_t>(n)),
      real_work(static_cast<std::size_t>(3 * n + 1));
  std::vector<std::complex<double>> work(static_cast<std::size_t>(work_size));
  int info = 0;
  zheev_("N", "L", &n, a.data.data(), &n, values.data(), work.data(), &work_size, real_work.data(),
         &info);
  EXPECT_EQ(info, 0);
  return values;
}

/// a v = s v e, v^H s v = 1, and the values are `expected`, on every process.
template <class T>
void expect_eigenvectors(const Matrix<T>& a, const Matrix<T>& s, const Matrix<T>& v,
                         const std::vector<double>& values, const std::vector<double>& expected) {
  const int n = a.rows;
  const double scale = 1 + std::abs(expected.back()) + std::abs(expected.front());
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(values[static_cast<std::size_t>(i)], expected[static_cast<std::size_t>(i)],
                1e-11 * scale);
  Matrix<T> e(n, n);
  for (int i = 0; i < n; ++i) e(i, i) = values[static_cast<std::size_t>(i)];
  EXPECT_LT(distance(product(a, v), product(product(s, v), e)), 1e-9 * scale);
  EXPECT_LT(distance(product(adjoint(v), product(s, v)), unit<T>(n)), 1e-10);
}

class SolversOfSize : public testing::TestWithParam<int> {
 protected:
  const int n = GetParam();
  const RealMatrix right_sides = general(n, 3);
  std::vector<double> values = std::vector<double>(static_cast<std::size_t>(n), -7);
};
INSTANTIATE_TEST_SUITE_P(Sizes, SolversOfSize, testing::Values(1, 2, 13, 50));

TEST_P(SolversOfSize, EigenvectorsAreTheColumnsThatFortranSees) {
  const RealMatrix a = symmetric(n);
  const auto expected = by_lapack(a, unit<double>(n));
  for (const auto solver : {GA_Diag_std, GA_Diag_std_seq}) {
    Stored stored(a), vectors(RealMatrix(n, n));
    solver(stored.handle, vectors.handle, values.data());
    expect_eigenvectors(a, unit<double>(n), vectors.matrix(), values, expected);
    EXPECT_EQ(distance(stored.matrix(), a), 0);
  }
}

TEST_P(SolversOfSize, GeneralizedEigenvectorsAreOrthonormalInTheOverlap) {
  const RealMatrix a = symmetric(n), s = definite(n);
  const auto expected = by_lapack(a, s);
  for (const auto solver : {GA_Diag, GA_Diag_seq}) {
    Stored stored(a), overlap(s), vectors(RealMatrix(n, n));
    solver(stored.handle, overlap.handle, vectors.handle, values.data());
    expect_eigenvectors(a, s, vectors.matrix(), values, expected);
  }
}

TEST_P(SolversOfSize, DiagSeqReadsUpperTrianglesAndTheOthersLowerOnes) {
  const RealMatrix a = symmetric(n), s = definite(n);
  const auto expected = by_lapack(a, s);
  for (const bool upper : {false, true}) {
    RealMatrix part_of_a = a, part_of_s = s;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) {
        (upper ? part_of_a(i, j) : part_of_a(j, i)) = 1000;
        (upper ? part_of_s(i, j) : part_of_s(j, i)) = 1000;
      }
    Stored stored(part_of_a), overlap(part_of_s), vectors(RealMatrix(n, n));
    (upper ? GA_Diag_seq : GA_Diag)(stored.handle, overlap.handle, vectors.handle, values.data());
    expect_eigenvectors(a, s, vectors.matrix(), values, expected);
  }
}

TEST_P(SolversOfSize, ReuseSolvesAgainAndItsEndChangesNothing) {
  const RealMatrix a = symmetric(n), s = definite(n);
  const auto expected = by_lapack(a, s);
  Stored stored(a), overlap(s), vectors(RealMatrix(n, n));
  for (const int reuse : {0, 1, -1}) {
    GA_Diag_reuse(reuse, stored.handle, overlap.handle, vectors.handle, values.data());
    expect_eigenvectors(a, s, vectors.matrix(), values, expected);
  }
}

RealMatrix part_of(const ComplexMatrix& a, double (*part)(const std::complex<double>&)) {
  RealMatrix result(a.rows, a.columns);
  std::ranges::transform(a.data, result.data.begin(), part);
  return result;
}
RealMatrix real_part(const ComplexMatrix& a) { return part_of(a, std::real<double>); }
RealMatrix imaginary_part(const ComplexMatrix& a) { return part_of(a, std::imag<double>); }

ComplexMatrix joined(const RealMatrix& real, const RealMatrix& imaginary) {
  ComplexMatrix result(real.rows, real.columns);
  std::ranges::transform(real.data, imaginary.data, result.data.begin(),
                         [](double x, double y) { return std::complex<double>(x, y); });
  return result;
}

// A real part alone would have other eigenvalues.
TEST_P(SolversOfSize, HermitianMatricesAreTwoArraysAndSoAreTheirEigenvectors) {
  const ComplexMatrix a = hermitian(n);
  const auto expected = by_lapack(a);
  Stored real(real_part(a)), imaginary(imaginary_part(a));
  Stored real_vectors(RealMatrix(n, n)), imaginary_vectors(RealMatrix(n, n));
  const Integer g_a[] = {real.handle, imaginary.handle},
                g_v[] = {real_vectors.handle, imaginary_vectors.handle};
  const auto expect_solved = [&] {
    expect_eigenvectors(a, unit<std::complex<double>>(n),
                        joined(real_vectors.matrix(), imaginary_vectors.matrix()), values,
                        expected);
  };
  for (const Integer block : {0, 8, 100000}) {
    Integer found = -1;
    ga_pzheevr_(g_a, g_v, values.data(), &block, &found);
    EXPECT_EQ(found, n);
    expect_solved();
  }
  const Integer block = 0;
  ga_pzheevd_(g_a, g_v, values.data(), &block);
  expect_solved();
  EXPECT_EQ(distance(joined(real.matrix(), imaginary.matrix()), a), 0);
  // The vectors may take the place of the matrix.
  ga_pzheevd_(g_a, g_a, values.data(), &block);
  expect_eigenvectors(a, unit<std::complex<double>>(n), joined(real.matrix(), imaginary.matrix()),
                      values, expected);
}

TEST_P(SolversOfSize, SymmetricSystemsByCholeskyLeaveTheMatrix) {
  const RealMatrix a = definite(n);
  for (const auto solver : {GA_Llt_solve, GA_Solve}) {
    Stored stored(a), sides(right_sides);
    EXPECT_EQ(solver(stored.handle, sides.handle), 0);
    EXPECT_LT(distance(product(a, sides.matrix()), right_sides), 1e-9);
    EXPECT_EQ(distance(stored.matrix(), a), 0);
  }
}

TEST_P(SolversOfSize, HermitianSystemsAreThoseThatFortranSees) {
  const ComplexMatrix a = definite_complex(n), right = hermitian(n);
  Stored stored(a), sides(right);
  EXPECT_EQ(GA_Llt_solve(stored.handle, sides.handle), 0);
  EXPECT_LT(distance(product(a, sides.matrix()), right), 1e-6);
  Stored others(right);
  EXPECT_EQ(GA_Solve(stored.handle, others.handle), 0);
  EXPECT_LT(distance(product(a, others.matrix()), right), 1e-6);
}

TEST_P(SolversOfSize, SystemsWithoutSymmetryByLuOfTheMatrixOrItsTranspose) {
  const RealMatrix a = general(n, n);
  Stored stored(a);
  Stored plain(right_sides), transposed(right_sides), any(right_sides);
  GA_Lu_solve('n', stored.handle, plain.handle);
  EXPECT_LT(distance(product(a, plain.matrix()), right_sides), 1e-10);
  GA_Lu_solve('T', stored.handle, transposed.handle);
  EXPECT_LT(distance(product(adjoint(a), transposed.matrix()), right_sides), 1e-10);
  EXPECT_EQ(GA_Solve(stored.handle, any.handle), 0);
  EXPECT_LT(distance(product(a, any.matrix()), right_sides), 1e-10);
}

TEST_P(SolversOfSize, InversesOfDefiniteMatricesAreWhole) {
  const RealMatrix a = definite(n);
  Stored stored(a);
  EXPECT_EQ(GA_Spd_invert(stored.handle), 0);
  EXPECT_LT(distance(product(a, stored.matrix()), unit<double>(n)), 1e-9);
  const ComplexMatrix c = definite_complex(n);
  Stored complex_stored(c);
  EXPECT_EQ(GA_Spd_invert(complex_stored.handle), 0);
  EXPECT_LT(distance(product(c, complex_stored.matrix()), unit<std::complex<double>>(n)), 1e-6);
}

template <class T>
void check_factors(const Matrix<T>& a, double tolerance) {
  for (const std::string uplo : {"L", "u"}) {
    Stored stored(a);
    const Integer g_a = stored.handle, in_array = -1;
    ASSERT_EQ(ga_cholesky_(uplo.c_str(), &g_a, 1), 0);
    const Matrix<T> f = stored.matrix();
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.rows; ++j)
        EXPECT_TRUE((uplo == "L" ? j <= i : j >= i) || f(i, j) == T(0));
    EXPECT_LT(distance(uplo == "L" ? product(f, adjoint(f)) : product(adjoint(f), f), a),
              tolerance);
    Stored sides(a);
    const Integer g_b = sides.handle;
    ga_llt_s_(uplo.c_str(), &g_a, &g_b, &in_array, 1);
    EXPECT_LT(distance(sides.matrix(), unit<T>(a.rows)), tolerance);
    EXPECT_EQ(ga_llt_i_(uplo.c_str(), &g_a, &in_array, 1), 0);
    EXPECT_LT(distance(product(a, stored.matrix()), unit<T>(a.rows)), tolerance);
  }
}

TEST_P(SolversOfSize, FactorsFillTheirTriangleAndSolveAndInvert) {
  check_factors(definite(n), 1e-9);
  check_factors(definite_complex(n), 1e-6);
}

TEST_P(SolversOfSize, KeptFactorsSolveAndInvertWithoutChangingTheMatrix) {
  const RealMatrix a = definite(n);
  for (const char* uplo : {"L", "U"}) {
    Stored stored(a), sides(right_sides);
    const Integer g_a = stored.handle, g_b = sides.handle;
    Integer first = -77, second = -77;
    ASSERT_EQ(ga_llt_f_(uplo, &g_a, &first, 1), 0);
    ASSERT_EQ(ga_llt_f_(uplo, &g_a, &second, 1), 0);
    EXPECT_NE(first, second);
    ga_llt_s_(uplo, &g_a, &g_b, &first, 1);
    EXPECT_LT(distance(product(a, sides.matrix()), right_sides), 1e-9);
    EXPECT_EQ(distance(stored.matrix(), a), 0);
    EXPECT_EQ(ga_llt_i_(uplo, &g_a, &second, 1), 0);
    EXPECT_LT(distance(product(a, stored.matrix()), unit<double>(n)), 1e-9);
  }
}

TEST_P(SolversOfSize, ZeroulKeepsTheNamedTriangle) {
  for (const char* uplo : {"L", "U"}) {
    RealMatrix a = general(n, n);
    Stored stored(a);
    const Integer g_a = stored.handle;
    ga_zeroul_(uplo, &g_a, 1);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (*uplo == 'L' ? j > i : j < i) a(i, j) = 0;
    EXPECT_EQ(distance(stored.matrix(), a), 0);
  }
}

TEST(Solvers, TellTheMinorThatIsNotDefiniteAndLeaveBothMatrices) {
  RealMatrix a = symmetric(13);
  a(4, 4) = -50;
  const RealMatrix right = general(13, 2);
  Stored stored(a), sides(right);
  const Integer g_a = stored.handle;
  EXPECT_EQ(GA_Llt_solve(stored.handle, sides.handle), 5);
  EXPECT_EQ(ga_cholesky_("U", &g_a, 1), 5);
  Integer factor = -77;
  EXPECT_EQ(ga_llt_f_("L", &g_a, &factor, 1), 5);
  EXPECT_EQ(factor, -77);
  EXPECT_EQ(GA_Spd_invert(stored.handle), 5);
  EXPECT_EQ(distance(stored.matrix(), a), 0);
  EXPECT_EQ(distance(sides.matrix(), right), 0);
  // Solved by LU, and told that it was.
  EXPECT_EQ(GA_Solve(stored.handle, sides.handle), 5);
  EXPECT_LT(distance(product(a, sides.matrix()), right), 1e-10);
}

TEST(Solvers, TellThePivotOfASingularMatrix) {
  Stored zero(RealMatrix(13, 13)), sides(general(13, 1));
  EXPECT_EQ(GA_Solve(zero.handle, sides.handle), 1);
  EXPECT_GT(GA_Spd_invert(zero.handle), 0);
}

/// Every process stores the whole matrix: mirrored arrays have a copy a node.
int created_on(int group, const RealMatrix& a) {
  int dims[] = {a.columns, a.rows}, lo[] = {0, 0}, hi[] = {a.columns - 1, a.rows - 1};
  char name[] = "matrix";
  const int handle = NGA_Create_config(C_DBL, 2, dims, name, nullptr, group);
  RealMatrix copy = a;
  GA_Pgroup_sync(group);
  NGA_Put(handle, lo, hi, copy.data.data(), dims + 1);
  GA_Pgroup_sync(group);
  return handle;
}

void check_system_on(int group) {
  const RealMatrix a = general(13, 13), right = general(13, 2);
  const int matrix = created_on(group, a), sides = created_on(group, right);
  EXPECT_EQ(GA_Solve(matrix, sides), 0);
  RealMatrix x(13, 2);
  int lo[] = {0, 0}, hi[] = {1, 12}, rows = 13;
  NGA_Get(sides, lo, hi, x.data.data(), &rows);
  EXPECT_LT(distance(product(a, x), right), 1e-10);
  GA_Destroy(matrix);
  GA_Destroy(sides);
}

TEST(Solvers, WorkOnMirroredArraysAndOnArraysOfAGroup) {
  check_system_on(GA_Pgroup_get_mirror());
  std::vector<int> odd;
  for (int p = 1; p < GA_Nnodes(); p += 2) odd.push_back(p);
  if (odd.empty()) return;
  const int group = GA_Pgroup_create(odd.data(), static_cast<int>(odd.size()));
  if (GA_Nodeid() % 2 == 1) check_system_on(group);
  GA_Sync();
  GA_Pgroup_destroy(group);
}

TEST(Solvers, AskScaLapackForALargerMatrix) {
  const int n = 150;
  const RealMatrix a = symmetric(n);
  Stored stored(a), vectors(RealMatrix(n, n));
  const Integer g_a = stored.handle, g_v = vectors.handle, block = 16;
  std::vector<double> values(static_cast<std::size_t>(n));
  ga_pdsyevd_(&g_a, &g_v, values.data(), &block);
  expect_eigenvectors(a, unit<double>(n), vectors.matrix(), values, by_lapack(a, unit<double>(n)));
}

#ifdef ATOLL_TEST_FORTRAN
TEST(Solvers, AnswerToTheirFortranNames) {
  Integer line = -1;
  solvers_program_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "the check in that line of solvers_program.F90 failed";
}

TEST(Solvers, GivePiecesOfComplexMatrices) {
  Integer line = -1;
  complex_pieces_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "the check in that line of complex_pieces_program.F90 failed";
}
#endif

}  // namespace
