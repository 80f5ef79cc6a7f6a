#include "compat/ga/solvers/process_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "atoll/error.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

struct Grids {
  std::array<std::optional<ProcessGrid>, 2> slots;
};

std::optional<ProcessGrid>& slot(GridUse use) {
  return Runtime::get().keep<Grids>().slots[static_cast<std::size_t>(use)];
}

}  // namespace

std::pair<int, int> nearest_square(int processes) {
  int rows = static_cast<int>(std::sqrt(processes));
  while (rows > 1 && processes % rows != 0) --rows;
  return {rows, processes / rows};
}

// What Global Arrays was measured to answer: a power of two, so that each process has some 50000
// elements, and never less than 16.
int worthwhile_processes(std::int64_t n, std::int64_t processes) {
  const double elements = static_cast<double>(n) * static_cast<double>(n);
  double wanted = 16;
  while (wanted < elements / 50000) wanted *= 2;
  return static_cast<int>(std::min(wanted, static_cast<double>(processes)));
}

void begin_grid(GridUse use, int processes) {
  const auto [rows, columns] = nearest_square(processes);
  slot(use) = ProcessGrid{Runtime::get().groups.default_group(), rows, columns};
}

void end_grid(GridUse use) { slot(use).reset(); }

const ProcessGrid& grid(GridUse use) {
  if (const std::optional<ProcessGrid>& begun = slot(use)) return *begun;
  const std::string starter = use == GridUse::all ? "slinit" : "slinit2";
  throw Error(ErrorKind::state, "there is no grid of processes: call " + starter + " first");
}

}  // namespace lagoon::atoll::ga
