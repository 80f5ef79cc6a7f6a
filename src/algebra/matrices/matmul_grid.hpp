// Grids of a product: how ranks can share its rows, columns and k, and what a share costs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algebra/matrices/matmul_part.hpp"
#include "atoll/index.hpp"

namespace lagoon::atoll::detail {

/// Of a product of m x k by k x n; of its elements, the bytes and the operations of a
/// multiplication and addition; of what is fetched or added to, the share that lies on other nodes.
struct MatmulSize {
  std::int64_t m, n, k;
  double bytes, operations, remote;
};

// Only ratios matter, and roughly: what a core and a good network do.
struct MatmulSpeed {
  static constexpr double operations_a_second = 5e10;
  static constexpr double network_bytes_a_second = 2e9;
  static constexpr double memory_bytes_a_second = 5e9;
};

/// Seconds for a rank's part: computing, then fetching so many elements from other nodes. The
/// network works meanwhile, but not for nothing.
inline double seconds_of(const MatmulSize& size, const MatmulPart& part, double far) noexcept {
  const auto rows = static_cast<double>(size_of(part.rows)),
             columns = static_cast<double>(size_of(part.columns)),
             depth = static_cast<double>(part.k.size());
  return rows * columns * depth * size.operations / MatmulSpeed::operations_a_second +
         far * size.bytes / MatmulSpeed::network_bytes_a_second;
}

/// Seconds for adding what a rank of the grid has computed to the result.
inline double seconds_to_add(const MatmulSize& size, const Index& grid) noexcept {
  const std::int64_t rows = (size.m + grid[0] - 1) / grid[0],
                     columns = (size.n + grid[1] - 1) / grid[1];
  return static_cast<double>(rows) * static_cast<double>(columns) * size.bytes *
         (size.remote / MatmulSpeed::network_bytes_a_second +
          1 / MatmulSpeed::memory_bytes_a_second);
}

inline MatmulPart part_in_grid(const MatmulSize& size, const Index& grid, int rank) {
  const auto share = [](std::int64_t extent, std::int64_t place, std::int64_t parts) {
    return Extent{extent * place / parts, extent * (place + 1) / parts};
  };
  MatmulPart part;
  const Extent rows = share(size.m, rank / (grid[1] * grid[2]), grid[0]);
  const Extent columns = share(size.n, rank / grid[2] % grid[1], grid[1]);
  part.k = share(size.k, rank % grid[2], grid[2]);
  if (rows.size() > 0 && columns.size() > 0 && part.k.size() > 0) {
    part.rows = {rows};
    part.columns = {columns};
  }
  return part;
}

/// Of all grids of so many ranks the one of which `seconds(grid)` is least, and below `limit`; else
/// an empty one.
template <class Seconds>
Index best_grid(std::int64_t ranks, double limit, Seconds&& seconds) {
  Index best;
  const auto look = [&](std::int64_t p, std::int64_t q) {
    const Index grid{p, q, ranks / p / q};
    const double cost = seconds(grid);
    if (cost >= limit) return;
    limit = cost;
    best = grid;
  };
  for (std::int64_t p = 1; p <= ranks; ++p)
    if (ranks % p == 0)
      for (std::int64_t q = 1; q <= ranks / p; ++q)
        if (ranks / p % q == 0) look(p, q);
  return best;
}

}  // namespace lagoon::atoll::detail
