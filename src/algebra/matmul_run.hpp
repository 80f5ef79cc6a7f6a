// SRUMMA's loop over the panels of a rank's part.
//
// Panels that are at hand come first, while the first of the others are under way; from then on the
// next panels are fetched while the last ones are multiplied (Krishnan and Nieplocha, section 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "algebra/blas.hpp"
#include "algebra/matmul_panel.hpp"
#include "algebra/matmul_plan.hpp"

namespace lagoon::atoll::detail {

// Panels shallower than this waste the BLAS's time on loading and storing the result; deeper ones
// hide less of the first fetch.
inline constexpr std::int64_t least_depth = 64, best_depth = 384;

/// A dense piece of the result: its packed rows and columns, and its memory.
template <class T>
struct Target {
  Extent rows, columns;
  T* data;
  std::int64_t distance;
};

template <BlasElement T>
class Multiplication {
 public:
  Multiplication(const Operand& a, const Operand& b, T alpha, const MatmulOptions& options,
                 double turn)
      : a_(a), b_(b), alpha_(alpha), options_(options), turn_(turn) {}

  /// Adds alpha a b of these positions to beta times the targets.
  void run(const Extents& rows, const Extents& columns, const Extent& k, T beta,
           const std::vector<Target<T>>& targets) {
    const std::int64_t m = size_of(rows), n = size_of(columns);
    if (m == 0 || n == 0) return;
    const std::int64_t edge = largest_edge();
    for (std::int64_t i = 0; i < m; i += edge)
      for (std::int64_t j = 0; j < n; j += edge) {
        const Extent row{i, std::min(i + edge, m)}, column{j, std::min(j + edge, n)};
        run_tile({a_, packed_part(rows, row.first, row.last), k},
                 {b_, packed_part(columns, column.first, column.last), k}, k, beta,
                 clipped(targets, row, column));
      }
  }
  /// Rows and columns at once, so that panels of the least depth fit the memory.
  std::int64_t largest_edge() const noexcept {
    const auto elements = static_cast<std::int64_t>(options_.memory / sizeof(T));
    return std::max<std::int64_t>(elements / (4 * least_depth), 16);
  }

 private:
  struct Step {
    Panel a, b;
    bool fetches() const noexcept { return a.fetches || b.fetches; }
  };
  /// Memory for the panels of one step after the other.
  struct Room {
    std::unique_ptr<std::byte[]> memory;
    std::int64_t elements = 0;
    std::byte* for_elements(std::int64_t wanted) {
      if (wanted > elements) {
        memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(wanted) *
                                                             sizeof(T));
        elements = wanted;
      }
      return memory.get();
    }
  };
  struct Buffer {
    Room a, b;
    std::vector<Handle> handles;  // destroyed, and so waited for, before the memory
  };

  static std::vector<Target<T>> clipped(const std::vector<Target<T>>& targets, const Extent& rows,
                                        const Extent& columns) {
    std::vector<Target<T>> result;
    for (const Target<T>& t : targets) {
      const Extent r{std::max(t.rows.first, rows.first), std::min(t.rows.last, rows.last)};
      const Extent c{std::max(t.columns.first, columns.first),
                     std::min(t.columns.last, columns.last)};
      if (r.size() <= 0 || c.size() <= 0) continue;
      result.push_back(
          {{r.first - rows.first, r.last - rows.first},
           {c.first - columns.first, c.last - columns.first},
           t.data + (r.first - t.rows.first) * t.distance + (c.first - t.columns.first),
           t.distance});
    }
    return result;
  }

  std::vector<Step> steps(const PanelSource& a, const PanelSource& b) const {
    std::vector<std::int64_t> cuts;
    std::set_union(a.cuts().begin(), a.cuts().end(), b.cuts().begin(), b.cuts().end(),
                   std::back_inserter(cuts));
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<Step> local, remote;
    const auto memory = static_cast<std::int64_t>(options_.memory / sizeof(T));
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const Extent k{cuts[i], cuts[i + 1]};
      if (k.size() == 0) continue;
      Step whole{a.panel(k), b.panel(k)};
      if (!whole.fetches()) {
        local.push_back(std::move(whole));
        continue;
      }
      const std::int64_t outer =
          (whole.a.fetches ? a.outer() : 0) + (whole.b.fetches ? b.outer() : 0);
      const std::int64_t depth = std::clamp<std::int64_t>(memory / (2 * outer), 1, best_depth);
      const std::int64_t parts = (k.size() + depth - 1) / depth;
      for (std::int64_t p = 0; p < parts; ++p) {
        const Extent part{k.first + k.size() * p / parts, k.first + k.size() * (p + 1) / parts};
        remote.push_back({a.panel(part), b.panel(part)});
      }
    }
    if (options_.shift && !remote.empty())
      std::rotate(
          remote.begin(),
          remote.begin() + static_cast<std::ptrdiff_t>(turn_ * static_cast<double>(remote.size())),
          remote.end());
    std::move(remote.begin(), remote.end(), std::back_inserter(local));
    return local;
  }

  void begin_fetch(const PanelSource& a, const PanelSource& b, const Step& step,
                   Buffer& buffer) const {
    if (step.a.fetches)
      a.fetch(step.a, buffer.a.for_elements(a.buffer_elements(step.a.k)), buffer.handles);
    if (step.b.fetches)
      b.fetch(step.b, buffer.b.for_elements(b.buffer_elements(step.b.k)), buffer.handles);
  }

  void run_tile(const PanelSource& a, const PanelSource& b, const Extent& k, T beta,
                const std::vector<Target<T>>& targets) {
    std::vector<Step> all = k.size() > 0 ? steps(a, b) : std::vector<Step>();
    if (all.empty()) {
      for (const Target<T>& t : targets)
        gemm<T>(BlasForm::plain, BlasForm::plain, t.rows.size(), t.columns.size(), 0, T(1), nullptr,
                1, nullptr, 1, beta, t.data, t.distance);
      return;
    }
    Buffer buffers[2];
    std::size_t begun = 0;  // steps whose fetch has begun
    const auto begin_until = [&](std::size_t last) {
      for (; begun < std::min(last, all.size()); ++begun)
        if (all[begun].fetches()) begin_fetch(a, b, all[begun], buffers[begun % 2]);
    };
    const auto first_fetch = static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [](const Step& step) { return step.fetches(); }) -
        all.begin());
    for (std::size_t i = 0; i < all.size(); ++i) {
      // The first fetch begins before all else; later ones once their buffer is free.
      begin_until(options_.prefetch ? std::max(i + 2, first_fetch + 1) : i + 1);
      Buffer& buffer = buffers[i % 2];
      if (all[i].fetches()) {
        wait_all(buffer.handles);
        buffer.handles.clear();
        if (all[i].a.fetches) a.ready(all[i].a, buffer.a.memory.get());
        if (all[i].b.fetches) b.ready(all[i].b, buffer.b.memory.get());
      }
      multiply(all[i], i == 0 ? beta : T(1), targets);
    }
  }

  void multiply(const Step& step, T beta, const std::vector<Target<T>>& targets) const {
    const auto form = [](const Operand& operand) {
      if (!operand.transposes) return BlasForm::plain;
      return operand.conjugates ? BlasForm::adjoint : BlasForm::transposed;
    };
    const auto place = [](const Operand& operand, const PanelPiece& piece, std::int64_t first) {
      return reinterpret_cast<const T*>(piece.data) +
             (first - piece.outer.first) * (operand.outer_first ? piece.distance : 1);
    };
    for (const Target<T>& t : targets)
      for (const PanelPiece& x : step.a.pieces)
        for (const PanelPiece& y : step.b.pieces) {
          const Extent r{std::max(t.rows.first, x.outer.first),
                         std::min(t.rows.last, x.outer.last)};
          const Extent c{std::max(t.columns.first, y.outer.first),
                         std::min(t.columns.last, y.outer.last)};
          if (r.size() <= 0 || c.size() <= 0) continue;
          gemm<T>(form(a_), form(b_), r.size(), c.size(), step.a.k.size(), alpha_,
                  place(a_, x, r.first), x.distance, place(b_, y, c.first), y.distance, beta,
                  t.data + (r.first - t.rows.first) * t.distance + (c.first - t.columns.first),
                  t.distance);
        }
  }

  const Operand& a_;
  const Operand& b_;
  T alpha_;
  const MatmulOptions& options_;
  double turn_;  // in [0, 1): where among the fetched panels this rank begins
};

}  // namespace lagoon::atoll::detail
