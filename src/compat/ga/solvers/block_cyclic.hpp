// Between an array and the pieces of a matrix that ScaLAPACK works on: blocks dealt in turn to the
// rows and columns of a grid of processes, each process's column-major in its own memory.
#pragma once

#include <cstdint>

#include "atoll/types.hpp"
#include "compat/ga/solvers/process_grid.hpp"

namespace lagoon::atoll::ga {

/// A matrix of rows x columns as Fortran sees it, and this process's piece of it.
struct LocalPiece {
  std::int64_t rows, columns, block_rows, block_columns;
  void* data;
  std::int64_t leading;                    ///< distance of columns in `data`, in elements
  std::int64_t local_rows, local_columns;  ///< room in `data`
};

/// Collective over the array's group, which the grid's processes are of. Error(type) unless the
/// array has elements of `type`, Error(value) for a piece that its part of the matrix does not fit.
void to_piece(std::int64_t array, ElementType type, const LocalPiece& piece,
              const ProcessGrid& grid);
void from_piece(std::int64_t array, ElementType type, const LocalPiece& piece,
                const ProcessGrid& grid);

}  // namespace lagoon::atoll::ga
