// Grids of processes that Fortran programs lay matrices out on for ScaLAPACK: numbered row by row,
// as the BLACS do by default. They are for ga_to_sl and ga_from_sl: Atoll's solvers make their own.
#pragma once

#include <cstdint>
#include <utility>

#include "atoll/group.hpp"

namespace lagoon::atoll::ga {

struct ProcessGrid {
  Group group;
  int rows, columns;

  /// Mine; only where `member()`.
  int row() const { return group.rank() / columns; }
  int column() const { return group.rank() % columns; }
  bool member() const { return group.rank() < rows * columns; }
};

/// Rows and columns, rows <= columns, as near to a square as all processes allow.
std::pair<int, int> nearest_square(int processes);
/// How many of the processes are worth their communication for a matrix of order `n`.
int worthwhile_processes(std::int64_t n, std::int64_t processes);

/// The grid of slinit, of all processes, and that of slinit2, of those that a matrix is worth.
enum class GridUse : std::uint8_t { all, sized };

/// Of the default group's first processes.
void begin_grid(GridUse use, int processes);
void end_grid(GridUse use);
/// Error(state) where none was begun.
const ProcessGrid& grid(GridUse use);

}  // namespace lagoon::atoll::ga
