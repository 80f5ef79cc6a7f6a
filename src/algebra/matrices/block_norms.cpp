// block_norms: each rank sums the squares of what it owns, row by row, the group sums the results.
#include "algebra/matrices/block_norms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "algebra/core/operands.hpp"
#include "algebra/core/sections.hpp"
#include "algebra/core/sums.hpp"
#include "algebra/matrices/block_axis.hpp"
#include "algebra/matrices/matmul_call.hpp"
#include "algebra/matrices/matmul_plan.hpp"
#include "array/frame.hpp"
#include "atoll/block_matmul.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

using detail::FactorView;

/// Sums of squares of one block. Squares of ordinary numbers neither overflow nor vanish; rows of
/// which they do are summed apart, scaled by a power of two.
using Squares = std::array<double, 3>;
enum Scale : std::size_t { ordinary, huge, tiny };
constexpr double shrink = 0x1p-600, grow = 0x1p600;

template <class Real>
double sum_of_squares(const Real* x, std::int64_t count, double factor) {
  return detail::pairwise_sum(count, [=](std::int64_t i) {
    const double value = static_cast<double>(x[i]) * factor;
    return value * value;
  });
}

template <class Real>
void add_row(Squares& block, const Real* x, std::int64_t count) {
  const double squares = sum_of_squares(x, count, 1);
  if (squares > 0x1p-900 && squares < 0x1p900)
    block[ordinary] += squares;
  else if (squares < 1)
    block[tiny] += sum_of_squares(x, count, grow);
  else  // too large, or NaN
    block[huge] += sum_of_squares(x, count, shrink);
}

/// Adds the squares of a patch of the array in memory of mine.
template <Element T>
void add_patch(const FactorView& a, const Patch& patch, const T* data, std::int64_t distance,
               std::span<const std::int64_t> row_cuts, std::span<const std::int64_t> column_cuts,
               std::vector<Squares>& blocks) {
  const std::span<const std::int64_t> outer = a.outer_first ? row_cuts : column_cuts,
                                      inner = a.outer_first ? column_cuts : row_cuts;
  const std::int64_t first = patch.lo[1] - a.area.lo[1], last = patch.hi[1] - a.area.lo[1];
  for (std::int64_t i = patch.lo[0]; i < patch.hi[0]; ++i, data += distance) {
    const std::size_t x = detail::block_at(outer, i - a.area.lo[0]);
    for (std::int64_t j = first; j < last;) {
      const std::size_t y = detail::block_at(inner, j);
      const std::int64_t end = std::min(last, detail::block_extent(inner, last, y).last);
      const std::size_t row = a.outer_first ? x : y, column = a.outer_first ? y : x;
      Squares& block = blocks[row * column_cuts.size() + column];
      if constexpr (detail::is_complex_type<T>)
        add_row(block, reinterpret_cast<const typename T::value_type*>(data + (j - first)),
                2 * (end - j));
      else
        add_row(block, data + (j - first), end - j);
      j = end;
    }
  }
}

}  // namespace

std::vector<double> detail::norms_of_blocks(const View& factor,
                                            std::span<const std::int64_t> row_cuts,
                                            std::span<const std::int64_t> column_cuts) {
  const AnyArray& array = factor.array;
  const FactorView a(factor, true);
  std::vector<Squares> blocks(row_cuts.size() * column_cuts.size(), Squares{});
  with_computed_type(array.type(), [&]<class T>(T) {
    for_each_owned_block(array.distribution(), array.group().rank(), [&](const OwnedBlock& block) {
      const Patch mine = intersection(block.patch, a.area);
      if (!mine.empty())
        add_patch(a, mine, own_memory<T>(array) + offset_in_block(block, mine.lo), block.strides[0],
                  row_cuts, column_cuts, blocks);
    });
  });
  array.group().reduce(std::span(reinterpret_cast<double*>(blocks.data()), 3 * blocks.size()));
  std::vector<double> norms(blocks.size());
  // In two steps: hypot of three loses NaN (GCC 12).
  std::ranges::transform(blocks, norms.begin(), [](const Squares& s) {
    return std::hypot(std::sqrt(s[ordinary]),
                      std::hypot(std::sqrt(s[huge]) / shrink, std::sqrt(s[tiny]) / grow));
  });
  return norms;
}

std::vector<double> block_norms(const View& a, std::span<const std::int64_t> row_cuts,
                                std::span<const std::int64_t> column_cuts) {
  detail::require_alive(a.array, "block_norms");
  const auto validate = [&] {
    detail::check_matrix(a);
    if (is_narrow(a.array.type()))
      throw Error(ErrorKind::type, detail::description(a.array) + " holds " +
                                       std::string(name_of(a.array.type())) + "; expected " +
                                       element_names(detail::is_computed));
    const FactorView operand(a, true);
    detail::check_cuts(row_cuts, operand.outer(), "row_cuts");
    detail::check_cuts(column_cuts, operand.inner(), "column_cuts");
  };
  const std::uint64_t hash =
      detail::hash_of(a, detail::hash_of_cuts(row_cuts), detail::hash_of_cuts(column_cuts));
  std::vector<double> norms;
  detail::collectively(a.array.group(), "block_norms", hash, validate,
                       [&] { norms = detail::norms_of_blocks(a, row_cuts, column_cuts); });
  return norms;
}

}  // namespace lagoon::atoll
