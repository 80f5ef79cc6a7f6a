// Cutting k into steps, and their fetches.
#include "algebra/matrices/matmul_step.hpp"

#include <iterator>

#include "array/array_state.hpp"

namespace lagoon::atoll::detail {

std::vector<Step> steps_of(const PanelSources& sources, const Extent& k, std::int64_t elements) {
  const PanelSource &a = sources.a, &b = sources.b;
  std::vector<Step> steps;
  if (k.size() == 0) return steps;
  std::vector<std::int64_t> cuts;
  std::set_union(a.cuts().begin(), a.cuts().end(), b.cuts().begin(), b.cuts().end(),
                 std::back_inserter(cuts));
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Extent range{cuts[i], cuts[i + 1]};
    Step whole{a.panel(range), b.panel(range)};
    if (!whole.fetches()) {
      steps.push_back(std::move(whole));
      continue;
    }
    const std::int64_t outer =
        (whole.a.fetches ? a.outer() : 0) + (whole.b.fetches ? b.outer() : 0);
    const std::int64_t depth = std::clamp<std::int64_t>(elements / (2 * outer), 1, best_depth);
    const std::int64_t parts = (range.size() + depth - 1) / depth;
    if (parts == 1) {
      steps.push_back(std::move(whole));
      continue;
    }
    for (std::int64_t p = 0; p < parts; ++p) {
      const Extent part{range.first + range.size() * p / parts,
                        range.first + range.size() * (p + 1) / parts};
      steps.push_back({a.panel(part), b.panel(part)});
    }
  }
  return steps;
}

std::int64_t buffer_elements(const PanelSources& sources, const Step& step) noexcept {
  return (step.a.fetches ? sources.a.buffer_elements(step.a.k) : 0) +
         (step.b.fetches ? sources.b.buffer_elements(step.b.k) : 0);
}

void begin_fetch(const PanelSources& sources, const Step& step, StepBuffer& buffer) {
  const auto begin = [&](const PanelSource& source, const Panel& panel, Room& room) {
    const auto size = static_cast<std::int64_t>(source.operand().array.state()->element_bytes);
    if (panel.fetches)
      source.fetch(panel, room.get(source.buffer_elements(panel.k) * size), buffer.handles);
  };
  begin(sources.a, step.a, buffer.a);
  begin(sources.b, step.b, buffer.b);
}

void end_fetch(const PanelSources& sources, Step& step, StepBuffer& buffer) {
  wait_all(buffer.handles);
  buffer.handles.clear();
  if (step.a.fetches) sources.a.ready(step.a, buffer.a.get());
  if (step.b.fetches) sources.b.ready(step.b, buffer.b.get());
}

}  // namespace lagoon::atoll::detail
