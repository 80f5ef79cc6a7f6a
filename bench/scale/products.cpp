// Products: what a rank fetches and adds by the grid that the plan chooses, against the least that
// any algorithm moves (Kwasniewski and others, "Red-blue pebbling revisited: near optimal parallel
// matrix-matrix multiplication", 2019). One rank a node: all that is not a rank's own is moved.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "algebra/matrices/matmul_grid.hpp"
#include "array/distribution/piece.hpp"
#include "atoll/distribution.hpp"
#include "tables.hpp"

namespace lagoon::atoll::scale {

namespace {

using detail::Extent;
using detail::MatmulPart;
using detail::MatmulSize;

/// Of two factors and a result, blocked each by itself.
struct Product {
  Product(const MatmulSize& of, int ranks)
      : size(of),
        a(Layout::blocked(), {of.m, of.k}, ranks),
        b(Layout::blocked(), {of.k, of.n}, ranks),
        c(Layout::blocked(), {of.m, of.n}, ranks) {}

  static double far(const Distribution& factor, const Extent& rows, const Extent& columns,
                    int rank) {
    double elements = 0;
    factor.for_each_piece({{rows.first, columns.first}, {rows.last, columns.last}, {}},
                          [&](const Piece& piece) {
                            if (piece.rank != rank)
                              elements += static_cast<double>(piece.shape.product());
                          });
    return elements;
  }
  MatmulPart part(const Index& grid, int rank) const {
    if (!grid.empty()) return detail::part_in_grid(size, grid, rank);
    MatmulPart part{{}, {}, {0, size.k}};
    c.for_each_patch(rank, [&](const Patch& patch) {
      part.rows = {{patch.lo[0], patch.hi[0]}};
      part.columns = {{patch.lo[1], patch.hi[1]}};
    });
    return part;
  }
  double fetched(const MatmulPart& part, int rank) const {
    if (part.empty()) return 0;
    return far(a, part.rows.front(), part.k, rank) + far(b, part.k, part.columns.front(), rank);
  }
  /// Of the rank that takes longest, of eight, as the plan looks at them.
  double seconds(const Index& grid) const {
    double most = 0;
    for (int rank = 0; rank < c.ranks(); rank += std::max(1, c.ranks() / 8)) {
      const MatmulPart mine = part(grid, rank);
      most = std::max(most, detail::seconds_of(size, mine, fetched(mine, rank)));
    }
    return most + (grid.empty() ? 0 : detail::seconds_to_add(size, grid));
  }
  /// Elements that the rank moves: fetches, and adds to others' parts of the result.
  double moved(const Index& grid) const {
    double most = 0;
    for (int rank = 0; rank < c.ranks(); rank += std::max(1, c.ranks() / 8)) {
      const MatmulPart mine = part(grid, rank);
      double elements = fetched(mine, rank);
      if (!grid.empty() && !mine.empty())
        elements += far(c, mine.rows.front(), mine.columns.front(), rank);
      most = std::max(most, elements);
    }
    return most;
  }
  /// In elements: all data, in equal shares.
  double own() const {
    const auto m = static_cast<double>(size.m), n = static_cast<double>(size.n),
               k = static_cast<double>(size.k);
    return (m * n + m * k + k * n) / c.ranks();
  }
  /// What a rank must read and write at least, with so much memory, less what is its own.
  double least(double memory) const {
    const double work = static_cast<double>(size.m) * static_cast<double>(size.n) *
                        static_cast<double>(size.k) / c.ranks();
    return std::min(2 * work / std::sqrt(memory) + memory, 3 * std::pow(work, 2.0 / 3)) - own();
  }

  MatmulSize size;
  Distribution a, b, c;
};

void print(const char* name, int ranks, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Product product({m, n, k, sizeof(double), 2, 1 - 1.0 / ranks}, ranks);
  Index grid, fewest;
  const double time = microseconds(
      [&] {
        grid = detail::best_grid(ranks, 0.95 * product.seconds({}),
                                 [&](const Index& each) { return product.seconds(each); });
      },
      1);
  fewest = detail::best_grid(ranks, 1e300, [&](const Index& each) { return product.moved(each); });
  // Its own data, a buffer for a result of the grid, and panels of 64 MiB.
  const double panels = static_cast<double>(std::int64_t{64} << 20) / sizeof(double);
  const std::int64_t rows = grid.empty() ? 0 : m / grid[0],
                     columns = grid.empty() ? 0 : n / grid[1];
  const auto result = static_cast<double>(rows * columns);
  const double memory = product.own() + result + panels;
  const double moved = product.moved(grid), owners = product.moved({});
  std::printf("products\t%d\t%s\t%lld\t%lld\t%lld\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n", ranks,
              name, static_cast<long long>(m), static_cast<long long>(n), static_cast<long long>(k),
              grid.empty() ? "owners" : grid.to_string().c_str(), 8 * owners, 8 * moved,
              8 * std::min(owners, product.moved(fewest)), 8 * product.least(memory), 8 * memory,
              time);
}

}  // namespace

void print_products() {
  for (const int ranks : {64, 100, 1'000, 4'096, 10'000}) {
    // Four million elements of the largest matrices a rank.
    const double each = 4e6 * ranks;
    const auto root = [](double x) { return static_cast<std::int64_t>(std::sqrt(x)); };
    const std::int64_t n = root(each), less = root(each / 100);
    print("square", ranks, n, n, n);
    print("tall", ranks, 100 * less, less, less);
    print("flat", ranks, less, less, 100 * less);
  }
}

}  // namespace lagoon::atoll::scale
