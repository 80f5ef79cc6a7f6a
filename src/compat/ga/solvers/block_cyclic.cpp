#include "compat/ga/solvers/block_cyclic.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "compat/ga/solvers/matrices.hpp"

namespace lagoon::atoll::ga {

namespace {

/// How one direction of the matrix is dealt, and to which coordinate of the grid I belong.
struct Deal {
  std::int64_t extent, block;
  int processes, mine;

  /// How many rows or columns are mine.
  std::int64_t local() const {
    std::int64_t count = 0;
    for (std::int64_t at = mine * block; at < extent; at += block * processes)
      count += std::min(block, extent - at);
    return count;
  }
};

void check(const AnyArray& array, ElementType type, const LocalPiece& piece) {
  if (array.type() != type)
    throw Error(ErrorKind::type, "array '" + array.name() + "' holds " +
                                     std::string(name_of(array.type())) + ", expected " +
                                     std::string(name_of(type)));
  if (array.dimensions() != 2 || array.shape() != Index{piece.columns, piece.rows})
    throw Error(ErrorKind::value, "array '" + array.name() + "' is not of " +
                                      std::to_string(piece.rows) + " x " +
                                      std::to_string(piece.columns) + " elements");
  if (piece.block_rows < 1 || piece.block_columns < 1)
    throw Error(ErrorKind::value, "blocks are " + std::to_string(piece.block_rows) + " x " +
                                      std::to_string(piece.block_columns) +
                                      ", expected at least 1 x 1");
}

void check_room(const LocalPiece& piece, const Deal& rows, const Deal& columns) {
  const std::int64_t needed_rows = rows.local(), needed_columns = columns.local();
  if (piece.local_rows < needed_rows || piece.leading < needed_rows ||
      piece.local_columns < needed_columns)
    throw Error(ErrorKind::value,
                "the local piece has room for " + std::to_string(piece.local_rows) + " x " +
                    std::to_string(piece.local_columns) + ", leading dimension " +
                    std::to_string(piece.leading) + "; its part of the matrix is " +
                    std::to_string(needed_rows) + " x " + std::to_string(needed_columns));
}

/// Calls `move(patch, memory, strides)`, which starts an operation, for each of my blocks. Waits
/// after each column of blocks, so that not all are on their way at once.
template <class Move>
void for_each_block(const AnyArray& array, const LocalPiece& piece, const ProcessGrid& grid,
                    const Move& move) {
  if (!grid.group || !grid.member()) return;
  const Deal rows{piece.rows, piece.block_rows, grid.rows, grid.row()};
  const Deal columns{piece.columns, piece.block_columns, grid.columns, grid.column()};
  check_room(piece, rows, columns);
  const auto size = static_cast<std::int64_t>(size_of(array.type()));
  std::int64_t local_column = 0;
  for (std::int64_t c = columns.mine * columns.block; c < columns.extent;
       c += columns.block * columns.processes) {
    const std::int64_t width = std::min(columns.block, columns.extent - c);
    std::vector<Handle> moves;
    std::int64_t local_row = 0;
    for (std::int64_t r = rows.mine * rows.block; r < rows.extent;
         r += rows.block * rows.processes) {
      const std::int64_t height = std::min(rows.block, rows.extent - r);
      const std::int64_t offset = local_row + local_column * piece.leading;
      moves.push_back(move(Patch{{c, r}, {c + width, r + height}},
                           static_cast<std::byte*>(piece.data) + offset * size,
                           Index{piece.leading, 1}));
      local_row += height;
    }
    wait_all(moves);
    local_column += width;
  }
}

}  // namespace

void to_piece(std::int64_t handle, ElementType type, const LocalPiece& piece,
              const ProcessGrid& grid) {
  AnyArray& array = operand(handle);
  check(array, type, piece);
  array.whole_group().sync();
  for_each_block(array, piece, grid, [&](const Patch& patch, void* data, const Index& strides) {
    return array.get_async(patch, data, strides);
  });
  array.whole_group().barrier();
}

void from_piece(std::int64_t handle, ElementType type, const LocalPiece& piece,
                const ProcessGrid& grid) {
  AnyArray& array = operand(handle);
  check(array, type, piece);
  array.whole_group().sync();
  for_each_block(array, piece, grid, [&](const Patch& patch, void* data, const Index& strides) {
    return array.put_async(patch, data, strides);
  });
  array.whole_group().sync();
}

}  // namespace lagoon::atoll::ga
