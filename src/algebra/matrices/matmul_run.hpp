// SRUMMA's loop over the panels of a rank's part.
//
// Panels that are at hand come first, while as many of the others are under way as fit the memory;
// from then on the next panels are fetched while the last ones are multiplied (Krishnan and
// Nieplocha, section 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algebra/matrices/matmul_step.hpp"

namespace lagoon::atoll::detail {

template <BlasElement T>
class Multiplication {
 public:
  Multiplication(const FactorView& a, const FactorView& b, T alpha, const MatmulOptions& options,
                 double turn)
      : a_(a), b_(b), alpha_(alpha), options_(options), turn_(turn) {}

  /// Adds alpha a b of these positions to beta times the targets.
  void run(const Extents& rows, const Extents& columns, const Extent& k, T beta,
           const std::vector<Target<T>>& targets) {
    const std::int64_t m = size_of(rows), n = size_of(columns);
    if (m == 0 || n == 0) return;
    const std::int64_t edge = largest_edge(elements());
    for (std::int64_t i = 0; i < m; i += edge)
      for (std::int64_t j = 0; j < n; j += edge) {
        const Extent row{i, std::min(i + edge, m)}, column{j, std::min(j + edge, n)};
        run_tile({{a_, packed_part(rows, row.first, row.last), k},
                  {b_, packed_part(columns, column.first, column.last), k}},
                 k, beta, clipped(targets, row, column));
      }
  }

 private:
  std::int64_t elements() const noexcept {
    return static_cast<std::int64_t>(options_.memory / sizeof(T));
  }

  std::vector<Step> ordered_steps(const PanelSources& sources, const Extent& k) const {
    std::vector<Step> steps = steps_of(sources, k, elements());
    const auto remote = std::stable_partition(steps.begin(), steps.end(),
                                              [](const Step& step) { return !step.fetches(); });
    const auto fetched = static_cast<double>(steps.end() - remote);
    if (options_.shift)
      std::rotate(remote, remote + static_cast<std::ptrdiff_t>(turn_ * fetched), steps.end());
    return steps;
  }

  void run_tile(const PanelSources& sources, const Extent& k, T beta,
                const std::vector<Target<T>>& targets) {
    std::vector<Step> all = ordered_steps(sources, k);
    if (all.empty()) {
      for (const Target<T>& t : targets)
        gemm<T>(BlasForm::plain, BlasForm::plain, t.rows.size(), t.columns.size(), 0, T(1), nullptr,
                1, nullptr, 1, beta, t.data, t.distance);
      return;
    }
    std::vector<StepBuffer> buffers(buffers_for(sources, all));
    std::size_t begun = 0, fetches_begun = 0;  // steps looked at, and those that fetch among them
    const auto begin_until = [&](std::size_t fetches) {
      for (; begun < all.size() && fetches_begun < fetches; ++begun)
        if (all[begun].fetches())
          begin_fetch(sources, all[begun], buffers[fetches_begun++ % buffers.size()]);
    };
    std::size_t fetched = 0;  // steps that fetch, and are multiplied
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool fetches = all[i].fetches();
      begin_until(options_.prefetch ? fetched + buffers.size() : fetched + (fetches ? 1 : 0));
      if (fetches) end_fetch(sources, all[i], buffers[fetched % buffers.size()]);
      multiply_step(sources, all[i], alpha_, i == 0 ? beta : T(1), targets);
      if (fetches) ++fetched;
    }
  }

  /// As many panels are under way at once as fit the memory: while the panels at hand are
  /// multiplied, the network has nothing else to do.
  std::size_t buffers_for(const PanelSources& sources, const std::vector<Step>& steps) const {
    std::int64_t largest = 1, fetching = 0;
    for (const Step& step : steps) {
      largest = std::max(largest, buffer_elements(sources, step));
      if (step.fetches()) ++fetching;
    }
    const std::int64_t most =
        options_.prefetch ? std::max<std::int64_t>(elements() / largest, 2) : 1;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(fetching, 1, most));
  }

  const FactorView& a_;
  const FactorView& b_;
  T alpha_;
  const MatmulOptions& options_;
  double turn_;  // in [0, 1): where among the fetched panels this rank begins
};

}  // namespace lagoon::atoll::detail
