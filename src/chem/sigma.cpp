// A few rows of the vector at a time are transposed into a panel, so that a vector register holds
// the same column of several rows and every element of a sparse matrix is a multiplication of
// registers. Sums of a column stay in registers until the column is done.
#include "sigma.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

constexpr std::size_t panel_width = 32;

/// PanelRows of the vector with the rows of sigma that they are added to.
struct PanelRows {
  const std::int32_t *to, *from;
  const std::int8_t* sign;
};

/// Panel, columns x Width: rows of the vector times their signs; rows beyond `count` are zero.
template <std::size_t Width>
[[gnu::always_inline]] inline void pack_panel(const PanelRows& rows, std::size_t count,
                                              const VectorBlocks& blocks, double* panel) {
  for (std::size_t r = 0; r < Width; ++r) {
    double* target = panel + r;
    if (r >= count) {
      for (std::size_t b = 0; b < blocks.vector_columns; ++b) target[b * Width] = 0;
      continue;
    }
    const double* source =
        blocks.vector + static_cast<std::size_t>(rows.from[r]) * blocks.vector_columns;
    const double sign = rows.sign[r];
    for (std::size_t b = 0; b < blocks.vector_columns; ++b) target[b * Width] = sign * source[b];
  }
}

template <std::size_t Width>
[[gnu::always_inline]] inline void add_panel(const PanelRows& rows, std::size_t count,
                                             const SparseRows& pattern, const double* values,
                                             const VectorBlocks& blocks, double* panel) {
  pack_panel<Width>(rows, count, blocks, panel);
  double* targets[Width];
  for (std::size_t r = 0; r < count; ++r)
    targets[r] = blocks.sigma + static_cast<std::size_t>(rows.to[r]) * blocks.sigma_columns;
  for (std::size_t b = 0; b < pattern.rows(); ++b) {
    const auto begin = static_cast<std::size_t>(pattern.starts[b]);
    const auto end = static_cast<std::size_t>(pattern.starts[b + 1]);
    if (begin == end) continue;
    double sums[Width] = {};
    for (std::size_t s = begin; s < end; ++s) {
      const double value = values[s];
      const double* column = panel + static_cast<std::size_t>(pattern.columns[s]) * Width;
      for (std::size_t r = 0; r < Width; ++r) sums[r] += value * column[r];
    }
    for (std::size_t r = 0; r < count; ++r) targets[r][b] += sums[r];
  }
}

/// The next rows, at most as many as a panel has; returns how many.
ATOLL_EACH_PROCESSOR std::size_t add_next_panel(const PanelRows& rows, std::size_t left,
                                                const SparseRows& pattern, const double* values,
                                                const VectorBlocks& blocks, double* panel) {
  const std::size_t count = std::min(left, panel_width);
  if (count > 16)
    add_panel<32>(rows, count, pattern, values, blocks, panel);
  else if (count > 8)
    add_panel<16>(rows, count, pattern, values, blocks, panel);
  else
    add_panel<8>(rows, count, pattern, values, blocks, panel);
  return count;
}

void add_in_panels(const PanelRows& rows, std::size_t count, const SparseRows& pattern,
                   const double* values, const VectorBlocks& blocks, std::vector<double>& panel) {
  panel.resize(std::max(panel.size(), blocks.vector_columns * panel_width));
  for (std::size_t done = 0; done < count;)
    done += add_next_panel({rows.to + done, rows.from + done, rows.sign + done}, count - done,
                           pattern, values, blocks, panel.data());
}

/// Columns b0 to b1 of a row of sigma.
template <std::size_t Width>
[[gnu::always_inline]] inline void add_part_of_row(const double* values,
                                                   const std::int32_t* columns, std::size_t count,
                                                   const double* vector, std::size_t stride,
                                                   double* target) {
  double sums[Width] = {};
  for (std::size_t s = 0; s < count; ++s) {
    const double value = values[s];
    const double* source = vector + static_cast<std::size_t>(columns[s]) * stride;
    for (std::size_t b = 0; b < Width; ++b) sums[b] += value * source[b];
  }
  for (std::size_t b = 0; b < Width; ++b) target[b] += sums[b];
}

}  // namespace

ATOLL_EACH_PROCESSOR void add_rows(const SparseRows& pattern, std::span<const double> values,
                                   const VectorBlocks& blocks) {
  const std::size_t width = blocks.vector_columns;
  // All rows for some columns before the next ones: what is read stays in the cache.
  for (std::size_t b = 0; b < width;) {
    const std::size_t step = width - b >= panel_width ? panel_width : width - b >= 8 ? 8 : 1;
    for (std::size_t a = 0; a < pattern.rows(); ++a) {
      const auto begin = static_cast<std::size_t>(pattern.starts[a]);
      const auto count = static_cast<std::size_t>(pattern.starts[a + 1]) - begin;
      const double* row_values = values.data() + begin;
      const std::int32_t* columns = pattern.columns.data() + begin;
      double* target = blocks.sigma + a * blocks.sigma_columns + b;
      if (step == panel_width)
        add_part_of_row<panel_width>(row_values, columns, count, blocks.vector + b, width, target);
      else if (step == 8)
        add_part_of_row<8>(row_values, columns, count, blocks.vector + b, width, target);
      else
        add_part_of_row<1>(row_values, columns, count, blocks.vector + b, width, target);
    }
    b += step;
  }
}

void add_columns(const SparseRows& pattern, std::span<const double> values, std::size_t rows,
                 const VectorBlocks& blocks) {
  std::vector<std::int32_t> same(rows);
  std::iota(same.begin(), same.end(), 0);
  const std::vector<std::int8_t> signs(rows, 1);
  std::vector<double> panel;
  add_in_panels({same.data(), same.data(), signs.data()}, rows, pattern, values.data(), blocks,
                panel);
}

void add_opposite_spins(const GroupedSingles& rows, const SparseRows& columns,
                        std::span<const std::int32_t> pairs, std::span<const std::int8_t> signs,
                        std::span<const double> two, std::size_t all_pairs,
                        const VectorBlocks& blocks) {
  std::vector<double> values(pairs.size()), panel;
  for (std::size_t group = 0; group + 1 < rows.starts.size(); ++group) {
    const double* integrals = two.data() + static_cast<std::size_t>(rows.pairs[group]) * all_pairs;
    for (std::size_t s = 0; s < pairs.size(); ++s)
      values[s] = signs[s] * integrals[static_cast<std::size_t>(pairs[s])];
    const auto begin = static_cast<std::size_t>(rows.starts[group]);
    const auto end = static_cast<std::size_t>(rows.starts[group + 1]);
    add_in_panels({rows.to.data() + begin, rows.from.data() + begin, rows.sign.data() + begin},
                  end - begin, columns, values.data(), blocks, panel);
  }
}

}  // namespace lagoon::atoll::chem
