// Steps of a multiplication: a range of k for which both factors' panels are had at once and
// multiplied. What does not lie at hand is fetched into a buffer first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algebra/matrices/blas.hpp"
#include "algebra/matrices/matmul_panel.hpp"
#include "algebra/matrices/matmul_plan.hpp"
#include "algebra/matrices/panel_memory.hpp"
#include "atoll/handle.hpp"

namespace lagoon::atoll::detail {

// Panels shallower than this waste the BLAS's time on loading and storing the result; deeper ones
// hide less of the first fetch.
inline constexpr std::int64_t least_depth = 64, best_depth = 384;

/// Rows and columns at once, so that panels of the least depth fit a memory of so many elements.
constexpr std::int64_t largest_edge(std::int64_t elements) noexcept {
  return std::max<std::int64_t>(elements / (4 * least_depth), 16);
}

/// A dense piece of the result: its packed rows and columns, and its memory.
template <class T>
struct Target {
  Extent rows, columns;
  T* data;
  std::int64_t distance;
};

/// What of the targets lies in these rows and columns, counted from their first.
template <class T>
std::vector<Target<T>> clipped(const std::vector<Target<T>>& targets, const Extent& rows,
                               const Extent& columns) {
  std::vector<Target<T>> result;
  for (const Target<T>& t : targets) {
    const Extent r = common(t.rows, rows), c = common(t.columns, columns);
    if (r.size() <= 0 || c.size() <= 0) continue;
    result.push_back({{r.first - rows.first, r.last - rows.first},
                      {c.first - columns.first, c.last - columns.first},
                      t.data + (r.first - t.rows.first) * t.distance + (c.first - t.columns.first),
                      t.distance});
  }
  return result;
}

/// Both factors of the same rows, columns and k.
struct PanelSources {
  PanelSource a, b;
};

struct Step {
  Panel a, b;
  bool fetches() const noexcept { return a.fetches || b.fetches; }
};

/// Elements of the buffer that a step needs.
std::int64_t buffer_elements(const PanelSources& sources, const Step& step) noexcept;

/// The steps along `k`, ascending: cut where blocks end, and those that fetch also so that two of
/// them fit a memory of so many elements.
std::vector<Step> steps_of(const PanelSources& sources, const Extent& k, std::int64_t elements);

/// The panels of one step after the other.
struct StepBuffer {
  Room a, b;
  std::vector<Handle> handles;  // destroyed, and so waited for, before the memory
};

/// Begins to fetch what a step needs; the buffer is the step's until it has been multiplied.
void begin_fetch(const PanelSources& sources, const Step& step, StepBuffer& buffer);
/// Waits for it.
void end_fetch(const PanelSources& sources, Step& step, StepBuffer& buffer);

/// Adds alpha a b of a step to beta times the targets.
template <BlasElement T>
void multiply_step(const PanelSources& sources, const Step& step, T alpha, T beta,
                   const std::vector<Target<T>>& targets) {
  const FactorView &a = sources.a.operand(), &b = sources.b.operand();
  const auto form = [](const FactorView& operand) {
    if (!operand.transposes) return BlasForm::plain;
    return operand.conjugates ? BlasForm::adjoint : BlasForm::transposed;
  };
  const auto place = [](const FactorView& operand, const PanelPiece& piece, std::int64_t first) {
    return reinterpret_cast<const T*>(piece.data) +
           (first - piece.outer.first) * (operand.outer_first ? piece.distance : 1);
  };
  for (const Target<T>& t : targets)
    for (const PanelPiece& x : pieces_in(step.a, t.rows))
      for (const PanelPiece& y : pieces_in(step.b, t.columns)) {
        const Extent r = common(t.rows, x.outer), c = common(t.columns, y.outer);
        gemm<T>(form(a), form(b), r.size(), c.size(), step.a.k.size(), alpha, place(a, x, r.first),
                x.distance, place(b, y, c.first), y.distance, beta,
                t.data + (r.first - t.rows.first) * t.distance + (c.first - t.columns.first),
                t.distance);
      }
}

}  // namespace lagoon::atoll::detail
