// Eigenvalues and eigenvectors. GA reads the lower triangle, in its view; ga_diag_seq the upper
// one.
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "compat/ga/solvers/matrices.hpp"
#include "compat/ga/solvers/systems.hpp"

namespace lagoon::atoll::ga {

namespace {

constexpr std::int64_t largest_block = 4096;

void store_values(const std::vector<double>& values, ElementType type, void* eval) {
  if (traits_of(type).real == ElementType::float32)
    std::ranges::transform(values, static_cast<float*>(eval),
                           [](double value) { return static_cast<float>(value); });
  else
    std::ranges::copy(values, static_cast<double*>(eval));
}

/// `solve(matrix, vectors, options)` returns the values and stores the vectors in columns as Atoll
/// sees them, which Fortran sees as rows.
template <class Solve>
void diagonalize_with(const AnyArray& a, AnyArray& v, void* eval, Triangle triangle,
                      const Solve& solve) {
  check_square(a);
  const HermitianView matrix(a, triangle);
  AnyArray vectors = a.duplicate({}, false);
  const std::vector<double> values = solve(matrix, vectors);
  transpose(vectors, v);
  store_values(values, a.type(), eval);
}

void diagonalize(const AnyArray& a, AnyArray& v, void* eval, std::int64_t block) {
  diagonalize_with(a, v, eval, Triangle::lower,
                   [&](const HermitianView& matrix, AnyArray& vectors) {
                     SolverOptions options = matrix.options();
                     if (block > 0) options.block = std::min(block, largest_block);
                     return eigh(matrix.matrix(), vectors, options);
                   });
}

using Complex = std::complex<double>;

/// The arrays of the two parts.
struct Halves {
  explicit Halves(const ComplexParts& parts)
      : real(operand(parts.real)), imaginary(operand(parts.imaginary)) {}
  /// Errors unless both are real matrices of this shape.
  void check(const Index& shape) const {
    for (const AnyArray* half : {&real, &imaginary}) {
      if (half->type() != ElementType::float64)
        throw Error(ErrorKind::type,
                    "array '" + half->name() + "' holds " + std::string(name_of(half->type())) +
                        "; the real and the imaginary part of a matrix are two arrays of float64");
      check_square(*half);
      if (half->shape() != shape)
        throw Error(ErrorKind::value, "array '" + half->name() + "' has shape " +
                                          half->shape().to_string() + ", expected " +
                                          shape.to_string() + " of the others");
    }
  }
  AnyArray &real, &imaginary;
};

/// Calls `f(patch, elements of it)` for what I own of a complex matrix.
template <class F>
void for_each_own_patch(const AnyArray& matrix, const F& f) {
  for (const Patch& patch : matrix.patches(matrix.group().rank()))
    if (!patch.empty()) f(patch, static_cast<std::size_t>(patch.elements()));
}

void join(const Halves& halves, AnyArray& matrix) {
  matrix.group().sync();
  for_each_own_patch(matrix, [&](const Patch& patch, std::size_t elements) {
    std::vector<double> real(elements), imaginary(elements);
    std::vector<Complex> whole(elements);
    halves.real.get(patch, real.data());
    halves.imaginary.get(patch, imaginary.data());
    std::ranges::transform(real, imaginary, whole.begin(),
                           [](double re, double im) { return Complex(re, im); });
    matrix.put(patch, whole.data());
  });
  matrix.group().sync();
}

void split(const AnyArray& matrix, Halves& halves) {
  matrix.group().sync();
  for_each_own_patch(matrix, [&](const Patch& patch, std::size_t elements) {
    std::vector<Complex> whole(elements);
    std::vector<double> real(elements), imaginary(elements);
    matrix.get(patch, whole.data());
    std::ranges::transform(whole, real.begin(), [](Complex z) { return z.real(); });
    std::ranges::transform(whole, imaginary.begin(), [](Complex z) { return z.imag(); });
    halves.real.put(patch, real.data());
    halves.imaginary.put(patch, imaginary.data());
  });
  matrix.group().sync();
}

AnyArray complex_matrix_like(const AnyArray& a) {
  ArrayOptions options;
  options.zero = false;
  options.mirrored = a.mirrored();
  return AnyArray(a.whole_group(), a.shape(), ElementType::complex128, options);
}

}  // namespace

void diagonalize(std::int64_t a, std::int64_t v, void* eval, std::int64_t block) {
  diagonalize(operand(a), operand(v), eval, block);
}

void diagonalize(const ComplexParts& a, const ComplexParts& v, double* eval, std::int64_t block) {
  const Halves matrix(a);
  Halves vectors(v);
  matrix.check(matrix.real.shape());
  vectors.check(matrix.real.shape());
  AnyArray whole = complex_matrix_like(matrix.real), found = complex_matrix_like(vectors.real);
  join(matrix, whole);
  diagonalize(whole, found, eval, block);
  split(found, vectors);
}

void diagonalize(std::int64_t a, std::int64_t s, std::int64_t v, void* eval, Triangle triangle) {
  const AnyArray& array = operand(a);
  const AnyArray& overlap = operand(s);
  check_square(overlap);
  diagonalize_with(array, operand(v), eval, triangle,
                   [&](const HermitianView& matrix, AnyArray& vectors) {
                     const HermitianView metric(overlap, triangle);
                     return eigh(matrix.matrix(), metric.matrix(), vectors, matrix.options());
                   });
}

}  // namespace lagoon::atoll::ga
