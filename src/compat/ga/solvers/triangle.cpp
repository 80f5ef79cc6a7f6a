// One half of a matrix set to zero, by every process in its own memory.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "compat/ga/solvers/matrices.hpp"
#include "compat/ga/solvers/systems.hpp"

namespace lagoon::atoll::ga {

namespace {

/// Zero the columns [from, to) of a row, as far as the block has them.
void clear_row(const LocalBlock& block, std::size_t size, std::int64_t row, std::int64_t from,
               std::int64_t to) {
  const Patch& patch = block.patch;
  const std::int64_t lo = std::max(from, patch.lo[1]), hi = std::min(to, patch.hi[1]);
  if (lo >= hi) return;
  const std::int64_t offset = (row - patch.lo[0]) * block.strides[0] + (lo - patch.lo[1]);
  std::memset(static_cast<std::byte*>(block.data) + static_cast<std::size_t>(offset) * size, 0,
              static_cast<std::size_t>(hi - lo) * size);
}

}  // namespace

void keep_triangle(char uplo, std::int64_t a) {
  const bool upper = triangle_of(uplo) == Triangle::upper;
  AnyArray& array = operand(a);
  check_square(array);
  const Group& group = array.whole_group();
  group.sync();
  for (const LocalBlock& block : array.blocks(array.group().rank()))
    for (std::int64_t row = block.patch.lo[0]; row < block.patch.hi[0]; ++row)
      // Fortran's upper half is the lower one of Atoll's rows.
      clear_row(block, size_of(array.type()), row, upper ? row + 1 : 0,
                upper ? array.shape()[1] : row);
  group.sync();
}

}  // namespace lagoon::atoll::ga
