// Systems, eigenvalues and singular values: results are put into the equations that they must
// solve, in double precision on one rank's copy, for random sizes, layouts, groups and block sizes,
// by LAPACK, by ScaLAPACK and by ELPA. Halves that must not be read hold NaN.
#include "atoll/solvers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algebra_support.hpp"
#include "solvers/call.hpp"
#include "solvers/elpa.hpp"
#include "solvers/kernels.hpp"
#include "solvers/scalapack.hpp"

namespace lagoon::atoll::test {
namespace {

using Complex = std::complex<double>;

/// A matrix that every rank knows.
struct Dense {
  std::int64_t rows, columns;
  std::vector<Complex> values;

  Dense(std::int64_t m, std::int64_t n)
      : rows(m), columns(n), values(static_cast<std::size_t>(m * n)) {}
  Complex& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  Complex operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
};

Dense adjoint(const Dense& a) {
  Dense result(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) result(j, i) = std::conj(a(i, j));
  return result;
}

Dense product(const Dense& a, const Dense& b) {
  Dense result(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t j = 0; j < b.columns; ++j) result(i, j) += a(i, k) * b(k, j);
  return result;
}

Dense unit(std::int64_t n) {
  Dense result(n, n);
  for (std::int64_t i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

/// a with column j times factors[j].
Dense scaled(Dense a, const std::vector<double>& factors) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) a(i, j) *= factors[static_cast<std::size_t>(j)];
  return a;
}

/// The largest difference; NaN counts as infinite.
double distance(const Dense& a, const Dense& b) {
  double largest = a.rows == b.rows && a.columns == b.columns ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i) {
    const double difference = std::abs(a.values[i] - b.values[i]);
    largest = difference >= 0 ? std::max(largest, difference) : HUGE_VAL;
  }
  return largest;
}

template <Element T>
constexpr double rounding = std::numeric_limits<detail::Real<T>>::epsilon();

/// Numbers that T holds exactly.
template <Element T>
Dense random_dense(Random& random, std::int64_t m, std::int64_t n) {
  Dense result(m, n);
  const auto part = [&] {
    return static_cast<double>(static_cast<float>(2 * random.uniform() - 1));
  };
  for (Complex& value : result.values) {
    const double real = part();
    value = detail::is_complex_element<T> ? Complex(real, part()) : Complex(real);
  }
  return result;
}

template <Element T>
Dense random_hermitian(Random& random, std::int64_t n) {
  Dense a = random_dense<T>(random, n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j)
      a(j, i) = i == j ? Complex(a(i, i).real()) : std::conj(a(i, j));
  return a;
}

/// Hermitian, with eigenvalues between 1 and about 2 n.
template <Element T>
Dense random_definite(Random& random, std::int64_t n) {
  Dense a = random_hermitian<T>(random, n);
  for (std::int64_t i = 0; i < n; ++i)
    a(i, i) = static_cast<double>(n) * (detail::is_complex_element<T> ? 1.5 : 1.0) + 1;
  return a;
}

/// a without the half that is not `triangle`.
Dense half(Dense a, Triangle triangle, Complex instead) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j)
      if (triangle == Triangle::lower ? j > i : j < i) a(i, j) = instead;
  return a;
}

template <Element T>
Array<T> distributed(const Group& group, Random& random, const Dense& a, bool as_vector = false) {
  std::vector<T> values;
  for (const Complex& value : a.values) {
    if constexpr (detail::is_complex_element<T>)
      values.push_back(T(value));
    else
      values.push_back(static_cast<T>(value.real()));
  }
  const Index shape = as_vector ? Index{a.rows} : Index{a.rows, a.columns};
  return array_with(group, shape, values, random_layout(random, shape, group.size()));
}

template <Element T>
Array<T> undefined(const Group& group, Random& random, const Index& shape) {
  return Array<T>(group, shape, {random_layout(random, shape, group.size()), {}, false});
}

template <Element T>
Dense collected(const Array<T>& a) {
  Dense result(a.shape()[0], a.dimensions() == 2 ? a.shape()[1] : 1);
  std::vector<T> values(static_cast<std::size_t>(a.elements()));
  a.get(whole(a.shape()), values.data());
  std::copy(values.begin(), values.end(), result.values.begin());
  return result;
}

constexpr Complex not_read(std::numeric_limits<double>::quiet_NaN(), 0);

template <class T>
class Solvers : public testing::Test {};
using BlasTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Solvers, BlasTypes);

TEST(SolversByScalapack, AreTestedHere) {
  const detail::Scalapack& library = detail::Scalapack::get();
  if (library.file().empty()) GTEST_SKIP() << library.why_not();
  EXPECT_TRUE(library.available()) << library.why_not();
}

bool is_here(SolverLibrary library) {
  if (library == SolverLibrary::scalapack) return detail::Scalapack::get().available();
  return library != SolverLibrary::elpa || detail::Elpa::get().available();
}
constexpr SolverLibrary libraries[] = {SolverLibrary::lapack, SolverLibrary::scalapack,
                                       SolverLibrary::elpa, SolverLibrary::automatic};

TEST(SolversByElpa, AreTestedHere) {
  const detail::Elpa& library = detail::Elpa::get();
  if (!library.available()) GTEST_SKIP() << library.why_not();
  const std::int64_t n = 300;
  const Array<double> a(world(), {n, n});
  const detail::SolverCall by_itself("eigh", {&a}, n, {}, [] {});
  EXPECT_EQ(by_itself.elpa() != nullptr, world().size() > 1);
  const detail::SolverCall without("eigh", {&a}, n, {.library = SolverLibrary::scalapack}, [] {});
  EXPECT_EQ(without.elpa(), nullptr);
  // A rank without a block: ScaLAPACK's own routine.
  const detail::SolverCall small("eigh", {&a}, 1, {.library = SolverLibrary::elpa}, [] {});
  EXPECT_EQ(small.elpa(), nullptr);
}

/// Runs `check(group, random, options, n)` on several groups with every library.
void for_each_case(
    const std::function<void(const Group&, Random&, const SolverOptions&, std::int64_t)>& check) {
  for_each_group([&](const Group& group) {
    Random random(211);
    // By itself it leaves ranks idle where there are few blocks.
    for (const SolverLibrary library : libraries) {
      if (!is_here(library)) continue;
      for (int i = 0; i < 3; ++i) {
        const auto triangle = random.chance(0.5) ? Triangle::lower : Triangle::upper;
        const SolverOptions options{triangle, library, random.between(1, 8)};
        const std::int64_t n = random.between(1, 40);
        SCOPED_TRACE("n = " + std::to_string(n) + ", block " + std::to_string(options.block) +
                     ", library " + std::to_string(static_cast<int>(library)));
        check(group, random, options, n);
      }
    }
  });
}

TYPED_TEST(Solvers, EigenvectorsSolveTheirEquation) {
  using T = TypeParam;
  for_each_case(
      [](const Group& group, Random& random, const SolverOptions& options, std::int64_t n) {
        const Dense a = random_hermitian<T>(random, n);
        const Array<T> matrix = distributed<T>(group, random, half(a, options.triangle, not_read));
        Array<T> vectors = undefined<T>(group, random, {n, n});
        const std::vector<double> values = eigh(matrix, vectors, options);
        const Dense v = collected(vectors);
        const double bound = 50 * rounding<T> * static_cast<double>(n);
        EXPECT_LE(distance(product(a, v), scaled(v, values)), bound * std::sqrt(n));
        EXPECT_LE(distance(product(adjoint(v), v), unit(n)), bound);
        EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
        const std::vector<double> only = eigvalsh(matrix, options);
        ASSERT_EQ(only.size(), values.size());
        for (std::size_t i = 0; i < only.size(); ++i) EXPECT_NEAR(only[i], values[i], bound);
      });
}

TYPED_TEST(Solvers, GeneralisedEigenvectorsSolveTheirEquation) {
  using T = TypeParam;
  for_each_case(
      [](const Group& group, Random& random, const SolverOptions& options, std::int64_t n) {
        const Dense a = random_hermitian<T>(random, n), b = random_definite<T>(random, n);
        const Array<T> left = distributed<T>(group, random, half(a, options.triangle, not_read));
        const Array<T> right = distributed<T>(group, random, half(b, options.triangle, not_read));
        Array<T> vectors = undefined<T>(group, random, {n, n});
        const std::vector<double> values = eigh(left, right, vectors, options);
        const Dense v = collected(vectors);
        const double bound = 200 * rounding<T> * static_cast<double>(n);
        EXPECT_LE(distance(product(a, v), scaled(product(b, v), values)), bound);
        EXPECT_LE(distance(product(adjoint(v), product(b, v)), unit(n)), bound);
        const std::vector<double> only = eigvalsh(left, right, options);
        for (std::size_t i = 0; i < only.size(); ++i) EXPECT_NEAR(only[i], values[i], bound);
      });
}

TYPED_TEST(Solvers, CholeskyFactorsMultiplyToTheMatrix) {
  using T = TypeParam;
  for_each_case(
      [](const Group& group, Random& random, const SolverOptions& options, std::int64_t n) {
        const Dense a = random_definite<T>(random, n);
        Array<T> factor = distributed<T>(group, random, half(a, options.triangle, not_read));
        cholesky(factor, factor, options);  // in place
        const Dense f = collected(factor);
        const Dense other = adjoint(f);
        const bool lower = options.triangle == Triangle::lower;
        const double bound = 20 * rounding<T> * static_cast<double>(n) * static_cast<double>(n);
        EXPECT_LE(distance(lower ? product(f, other) : product(other, f), a), bound);
        EXPECT_EQ(distance(half(f, options.triangle, 0), f), 0) << "the other half is not zero";

        const bool vector = random.chance(0.5);
        const Dense b = random_dense<T>(random, n, vector ? 1 : random.between(1, 9));
        const Array<T> sides = distributed<T>(group, random, b, vector);
        Array<T> x = undefined<T>(group, random, sides.shape());
        cholesky_solve(factor, sides, x, options);
        EXPECT_LE(distance(product(a, collected(x)), b), bound);

        Array<T> result = undefined<T>(group, random, {n, n});
        const Array<T> again = distributed<T>(group, random, half(a, options.triangle, not_read));
        cholesky_inverse(again, result, options);
        EXPECT_LE(distance(product(a, collected(result)), unit(n)), bound);
      });
}

TYPED_TEST(Solvers, SolutionsSolveTheSystem) {
  using T = TypeParam;
  for_each_case(
      [](const Group& group, Random& random, const SolverOptions& options, std::int64_t n) {
        Dense a = random_dense<T>(random, n, n);
        // Well conditioned, yet only if rows are exchanged.
        for (std::int64_t i = 0; i < n; ++i) a(i, n - 1 - i) += static_cast<double>(2 * n);
        const Array<T> matrix = distributed<T>(group, random, a);
        const bool vector = random.chance(0.5);
        const Dense b = random_dense<T>(random, n, vector ? 1 : random.between(1, 9));
        Array<T> x = distributed<T>(group, random, b, vector);
        solve(matrix, x, x, options);  // in place
        const double bound = 100 * rounding<T> * static_cast<double>(n);
        EXPECT_LE(distance(product(a, collected(x)), b), bound);
        Array<T> result = undefined<T>(group, random, {n, n});
        inverse(matrix, result, options);
        EXPECT_LE(distance(product(a, collected(result)), unit(n)), bound);
      });
}

/// The first rows and columns of a matrix.
Dense corner(const Dense& a, std::int64_t rows, std::int64_t columns) {
  Dense result(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) result(i, j) = a(i, j);
  return result;
}

/// With square outputs: bases that begin with vectors of the same singular values.
template <class T>
void expect_bases(const Array<T>& matrix, const Dense& a, const std::vector<double>& values,
                  const SolverOptions& options, double bound) {
  const std::int64_t k = std::min(a.rows, a.columns);
  Random random(17);
  Array<T> left = undefined<T>(matrix.group(), random, {a.rows, a.rows}),
           right = undefined<T>(matrix.group(), random, {a.columns, a.columns});
  svd(matrix, left, right, options);
  const Dense u = collected(left), vh = collected(right);
  EXPECT_LE(distance(product(adjoint(u), u), unit(a.rows)), bound);
  EXPECT_LE(distance(product(vh, adjoint(vh)), unit(a.columns)), bound);
  const Dense again = product(scaled(corner(u, a.rows, k), values), corner(vh, k, a.columns));
  EXPECT_LE(distance(again, a), bound);
}

TYPED_TEST(Solvers, SingularVectorsMultiplyToTheMatrix) {
  using T = TypeParam;
  for_each_case(
      [](const Group& group, Random& random, const SolverOptions& options, std::int64_t m) {
        const std::int64_t n = random.between(1, 40), k = std::min(m, n);
        const Dense a = random_dense<T>(random, m, n);
        const Array<T> matrix = distributed<T>(group, random, a);
        Array<T> left = undefined<T>(group, random, {m, k}),
                 right = undefined<T>(group, random, {k, n});
        const std::vector<double> values = svd(matrix, left, right, options);
        const Dense u = collected(left), vh = collected(right);
        const double bound = 50 * rounding<T> * static_cast<double>(m + n);
        EXPECT_LE(distance(product(scaled(u, values), vh), a), bound);
        EXPECT_LE(distance(product(adjoint(u), u), unit(k)), bound);
        EXPECT_LE(distance(product(vh, adjoint(vh)), unit(k)), bound);
        EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
        expect_bases(matrix, a, values, options, bound);
        const std::vector<double> only = singular_values(matrix, options);
        ASSERT_EQ(only.size(), values.size());
        for (std::size_t i = 0; i < only.size(); ++i) EXPECT_NEAR(only[i], values[i], bound);
      });
}

TEST(SolversOfAnySize, MatricesWithoutElementsHaveNothingToSolve) {
  Array<double> a(world(), {0, 0}), vectors(world(), {0, 0}), sides(world(), {0, 3});
  EXPECT_TRUE(eigh(a, vectors).empty());
  cholesky(a, vectors);
  solve(a, sides, sides);
  inverse(a, vectors);
  Array<double> wide(world(), {0, 4}), u(world(), {0, 0}), vh(world(), {0, 4});
  EXPECT_TRUE(svd(wide, u, vh).empty());
  Array<double> basis(world(), {4, 4});
  EXPECT_TRUE(svd(wide, u, basis).empty());
  EXPECT_LE(distance(collected(basis), unit(4)), 0);
}

TEST(SolversOfAnySize, LargeMatricesGoToAllRanksByThemselves) {
  const std::int64_t n = 300;
  Array<double> a(world(), {n, n}), vectors(world(), {n, n});
  // The second difference, whose eigenvalues are known.
  std::vector<double> values(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) {
    values[static_cast<std::size_t>(i * n + i)] = 2;
    if (i > 0) values[static_cast<std::size_t>(i * n + i - 1)] = -1;
  }
  store(a, values);
  const detail::SolverCall call("eigh", {&a, &vectors}, n, {}, [] {});
  const bool parallel = world().size() > 1 && detail::Scalapack::get().available();
  EXPECT_EQ(call.grid().rows * call.grid().columns > 1, parallel);
  const std::vector<double> found = eigh(a, vectors);
  for (std::int64_t i = 0; i < n; ++i)
    EXPECT_NEAR(found[static_cast<std::size_t>(i)],
                2 - 2 * std::cos(M_PI * static_cast<double>(i + 1) / static_cast<double>(n + 1)),
                1e-13);
}

TEST(SolversByScalapack, AreRefusedWhereThereIsNone) {
  if (detail::Scalapack::get().available()) GTEST_SKIP() << "there is one";
  Array<double> a(world(), {4, 4});
  EXPECT_TRUE(all_throw_error(world(), [&] { eigvalsh(a, {.library = SolverLibrary::scalapack}); },
                              ErrorKind::unsupported, {"there is no ScaLAPACK"}));
}

TEST(SolversByElpa, AreRefusedWhereThereIsNone) {
  if (detail::Elpa::get().available() || !detail::Scalapack::get().available())
    GTEST_SKIP() << "there is one, or ScaLAPACK is missing as well";
  Array<double> a(world(), {4, 4});
  EXPECT_TRUE(all_throw_error(world(), [&] { eigvalsh(a, {.library = SolverLibrary::elpa}); },
                              ErrorKind::unsupported, {"there is no ELPA"}));
}

TEST(SolversOfAnySize, MirroredMatricesAreSolvedOnEveryNode) {
  Random random(5);
  const Dense a = random_definite<double>(random, 12), b = random_dense<double>(random, 12, 1);
  Array<double> matrix(world(), {12, 12}, {.mirrored = true}), x(world(), {12}, {.mirrored = true});
  copy(distributed<double>(world(), random, a), matrix);
  copy(distributed<double>(world(), random, b, true), x);
  solve(matrix, x, x);
  EXPECT_LE(distance(product(a, collected(x)), b), 1e-12);
}

TEST(SolversOfAnySize, MatricesWithoutSuchAResultAreRefusedByAll) {
  for (const SolverLibrary library : libraries) {
    if (!is_here(library)) continue;
    const SolverOptions options{.library = library, .block = 2};
    Array<double> a(world(), {5, 5}), b(world(), {5}), other(world(), {5, 5});
    fill(a, 1.0);  // of rank one
    const auto refused = [&](const std::function<void()>& call, const std::string& text) {
      EXPECT_TRUE(all_throw_error(world(), call, ErrorKind::numeric, {text}));
    };
    refused([&] { cholesky(a, other, options); }, "leading minor of order 2");
    refused([&] { cholesky_inverse(a, other, options); }, "not positive definite");
    refused([&] { eigh(other, a, other, options); }, "b is not positive definite");
    refused([&] { solve(a, b, b, options); }, "singular");
    refused([&] { inverse(a, other, options); }, "singular");
  }
}

TEST(SolversOfAnySize, MatricesWithNaNAreRefusedByAll) {
  for (const SolverLibrary library : libraries) {
    if (!is_here(library)) continue;
    const SolverOptions options{.library = library, .block = 2};
    Array<double> a(world(), {7, 7}), other(world(), {7, 7}), third(world(), {7, 7});
    fill(a, std::numeric_limits<double>::quiet_NaN());
    const auto refused = [&](const std::function<void()>& call) {
      EXPECT_TRUE(all_throw_error(world(), call, ErrorKind::numeric, {}));
    };
    refused([&] { eigh(a, other, options); });
    refused([&] { cholesky(a, other, options); });
    refused([&] { svd(a, other, third, options); });
  }
}

TEST(SolversOfAnySize, MatricesTooLargeForTheLibraryAreRefusedByAll) {
  const Array<float> small(world(), {4, 4});
  const detail::SolverCall alone("eigh", {&small}, 4, {.library = SolverLibrary::lapack}, [] {});
  EXPECT_TRUE(all_throw_error(world(), [&] { alone.require_room(32767, 32767, 4); },
                              ErrorKind::unsupported, {"32767 x 32767 on 1 ranks"}));
  alone.require_room(20000, 20000, 4);
  alone.require_room(60000, 60000, 0);  // LAPACK itself counts in 64 bits there
}

TEST(SolversOfAnySize, OperandsThatDoNotFitAreRefusedByAll) {
  Array<double> a(world(), {4, 4}), wide(world(), {4, 5}), b(world(), {5}),
      cube(world(), {4, 4, 4});
  Array<float> single(world(), {4, 4});
  Array<std::int64_t> whole_numbers(world(), {4, 4});
  const auto refused = [&](const std::function<void()>& call, ErrorKind kind,
                           const std::string& text) {
    EXPECT_TRUE(all_throw_error(world(), call, kind, {text}));
  };
  refused([&] { eigh(wide, wide); }, ErrorKind::value, "expected a square matrix");
  refused([&] { eigh(a, wide); }, ErrorKind::value, "expected (4, 4)");
  refused([&] { eigh(a, single); }, ErrorKind::type, "float32");
  refused([&] { eigh(whole_numbers, whole_numbers); }, ErrorKind::type, "int64");
  refused([&] { solve(a, b, b); }, ErrorKind::value, "4 rows");
  refused([&] { solve(a, cube, cube); }, ErrorKind::value, "4 rows");
  refused([&] { svd(a, wide, a); }, ErrorKind::value, "expected (4, 4)");
  refused([&] { svd(wide, a, a); }, ErrorKind::value, "expected (4, 5)");
  refused([&] { eigh(a, a, {.block = 0}); }, ErrorKind::value, "options.block is 0");
}

}  // namespace
}  // namespace lagoon::atoll::test
