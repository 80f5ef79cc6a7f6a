// SRUMMA's loop over the panels of a rank's part.
//
// Panels that are at hand come first, while the first of the others are under way; from then on the
// next panels are fetched while the last ones are multiplied (Krishnan and Nieplocha, section 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algebra/matmul_step.hpp"

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
    StepBuffer buffers[2];
    std::size_t begun = 0;  // steps whose fetch has begun
    const auto begin_until = [&](std::size_t last) {
      for (; begun < std::min(last, all.size()); ++begun)
        if (all[begun].fetches()) begin_fetch(sources, all[begun], buffers[begun % 2]);
    };
    const auto first_fetch = static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [](const Step& step) { return step.fetches(); }) -
        all.begin());
    for (std::size_t i = 0; i < all.size(); ++i) {
      // The first fetch begins before all else; later ones once their buffer is free.
      begin_until(options_.prefetch ? std::max(i + 2, first_fetch + 1) : i + 1);
      if (all[i].fetches()) end_fetch(sources, all[i], buffers[i % 2]);
      multiply_step(sources, all[i], alpha_, i == 0 ? beta : T(1), targets);
    }
  }

  const FactorView& a_;
  const FactorView& b_;
  T alpha_;
  const MatmulOptions& options_;
  double turn_;  // in [0, 1): where among the fetched panels this rank begins
};

}  // namespace lagoon::atoll::detail
