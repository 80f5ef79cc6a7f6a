// Eigenvalues and eigenvectors. GA reads the lower triangle, in its view; ga_diag_seq the upper
// one.
#include <algorithm>
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

}  // namespace

void diagonalize(std::int64_t a, std::int64_t v, void* eval, std::int64_t block) {
  const AnyArray& array = operand(a);
  diagonalize_with(array, operand(v), eval, Triangle::lower,
                   [&](const HermitianView& matrix, AnyArray& vectors) {
                     SolverOptions options = matrix.options();
                     if (block > 0) options.block = std::min(block, largest_block);
                     return eigh(matrix.matrix(), vectors, options);
                   });
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
