#include "compat/ga/solvers/systems.hpp"

#include <limits>
#include <string>

#include "atoll/algebra.hpp"
#include "compat/ga/solvers/matrices.hpp"

namespace lagoon::atoll::ga {

namespace {

Error bad_letter(const char* argument, char letter, const char* expected) {
  return Error(ErrorKind::value,
               std::string(argument) + " is '" + letter + "', expected " + expected);
}

int solve_by_cholesky(const AnyArray& a, AnyArray& b) {
  const HermitianView view(a, Triangle::lower);
  return info_of([&] {
    AnyArray factor = a.duplicate({}, false);
    cholesky(view.matrix(), factor, view.options());
    solve_in_columns(b, [&](AnyArray& x) { cholesky_solve(factor, x, x, view.options()); });
  });
}

/// Whether a real matrix is, up to the rounding of what a program computed it with.
bool is_symmetric(const AnyArray& a, const AnyArray& transposed) {
  if (is_complex(a.type())) return false;
  AnyArray difference = a.duplicate({}, false);
  add(1.0, a, -1.0, transposed, difference);
  const double epsilon = a.type() == ElementType::float32
                             ? double{std::numeric_limits<float>::epsilon()}
                             : std::numeric_limits<double>::epsilon();
  return norm(difference, Norm::infinity) <=
         static_cast<double>(a.shape()[0]) * epsilon * norm(a, Norm::infinity);
}

}  // namespace

Triangle triangle_of(char uplo) {
  if (uplo == 'U' || uplo == 'u') return Triangle::upper;
  if (uplo == 'L' || uplo == 'l') return Triangle::lower;
  throw bad_letter("uplo", uplo, "'U' or 'L'");
}

int solve_definite(std::int64_t a, std::int64_t b) {
  const AnyArray& matrix = operand(a);
  return solve_by_cholesky(matrix, operand(b));
}

int solve_any(std::int64_t a, std::int64_t b) {
  const AnyArray& array = operand(a);
  AnyArray& sides = operand(b);
  check_square(array);
  const AnyArray matrix = turned(array);
  int info = 0;
  if (is_symmetric(array, matrix)) {
    info = solve_by_cholesky(array, sides);
    if (info == 0) return 0;
  }
  const int pivot =
      info_of([&] { solve_in_columns(sides, [&](AnyArray& x) { solve(matrix, x, x); }); });
  return pivot != 0 ? pivot : info;
}

void solve_lu(char trans, std::int64_t a, std::int64_t b) {
  const bool transposed = trans == 'T' || trans == 't';
  if (!transposed && trans != 'N' && trans != 'n') throw bad_letter("trans", trans, "'N' or 'T'");
  const AnyArray& array = operand(a);
  AnyArray& sides = operand(b);
  check_square(array);
  if (transposed) {
    solve_in_columns(sides, [&](AnyArray& x) { solve(array, x, x); });
  } else {
    const AnyArray matrix = turned(array);
    solve_in_columns(sides, [&](AnyArray& x) { solve(matrix, x, x); });
  }
}

// The inverse of a transpose is the transpose of the inverse: here, and for factors, Atoll's view
// does as well, but for the triangles.
int invert_definite(std::int64_t a) {
  AnyArray& array = operand(a);
  return info_of([&] { cholesky_inverse(array, array, {.triangle = Triangle::upper}); });
}

int factorize(char uplo, std::int64_t a) {
  const Triangle triangle = other(triangle_of(uplo));
  AnyArray& array = operand(a);
  return info_of([&] { cholesky(array, array, {.triangle = triangle}); });
}

}  // namespace lagoon::atoll::ga
