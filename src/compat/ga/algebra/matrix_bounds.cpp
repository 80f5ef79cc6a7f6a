#include "compat/ga/algebra/matrix_bounds.hpp"

#include <string>
#include <vector>

#include "atoll/error.hpp"

namespace lagoon::atoll::ga {

namespace {

using Candidates = std::vector<MatrixDimensions>;

/// The only dimension that is longer than one; -1 where none is, or several are.
int only_long_one(const Index& shape) {
  int found = -1;
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (found >= 0) return -1;
    found = d;
  }
  return found;
}

/// Unit dimensions are dropped, the slowest first, until two are left.
MatrixDimensions two_longest(const Patch& bounds) {
  const Index shape = bounds.shape();
  int to_drop = shape.size() - 2;
  std::vector<int> kept;
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1 && to_drop > 0)
      --to_drop;
    else
      kept.push_back(d);
  }
  if (kept.size() != 2)
    throw Error(ErrorKind::value, "patch " + bounds.to_string() + " is no matrix: of its " +
                                      std::to_string(shape.size()) +
                                      " dimensions not two are longer than one");
  return {kept[0], kept[1]};
}

/// In the order in which they are to be tried.
Candidates candidates(const OperandBounds& operand) {
  const Index shape = operand.bounds.shape();
  const int along = only_long_one(shape), last = shape.size() - 1;
  if (shape.size() < 3 || along < 0) return {two_longest(operand.bounds)};
  // What comes next in Fortran's order comes before in Atoll's.
  if (along == 0) return {{0, 1}};
  if (along == last) return {{last - 1, last}};
  const MatrixDimensions with_next{along - 1, along}, with_previous{along, along + 1};
  if (operand.transposed) return {with_previous, with_next};
  return {with_next, with_previous};
}

bool agree(const std::array<OperandBounds, 3>& operands,
           const std::array<MatrixDimensions, 3>& chosen) {
  std::array<std::int64_t, 3> rows{}, columns{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Index shape = operands[i].bounds.shape();
    rows[i] = shape[chosen[i].slow];
    columns[i] = shape[chosen[i].fast];
  }
  return columns[0] == rows[1] && rows[0] == rows[2] && columns[1] == columns[2];
}

}  // namespace

std::array<MatrixDimensions, 3> matrix_dimensions(const std::array<OperandBounds, 3>& operands) {
  const std::array<Candidates, 3> all = {candidates(operands[0]), candidates(operands[1]),
                                         candidates(operands[2])};
  // First those that differ from what is usual in the fewest operands.
  for (std::size_t unusual = 0; unusual <= 3; ++unusual)
    for (std::size_t a = 0; a < all[0].size(); ++a)
      for (std::size_t b = 0; b < all[1].size(); ++b)
        for (std::size_t c = 0; c < all[2].size(); ++c)
          if (a + b + c == unusual && agree(operands, {all[0][a], all[1][b], all[2][c]}))
            return {all[0][a], all[1][b], all[2][c]};
  return {all[0][0], all[1][0], all[2][0]};
}

}  // namespace lagoon::atoll::ga
