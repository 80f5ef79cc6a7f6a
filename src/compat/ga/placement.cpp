#include "compat/ga/placement.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "atoll/error.hpp"
#include "compat/ga/arrays.hpp"

namespace lagoon::atoll::ga {

namespace {

using Starts = std::vector<std::vector<std::int64_t>>;

Layout layout_of(const Plan& plan) {
  switch (plan.cut) {
    case Cut::blocked: return Layout::blocked(plan.block);
    case Cut::irregular: return Layout::irregular(plan.starts);
    case Cut::block_cyclic: return Layout::dealt(plan.block);
    case Cut::scalapack: return Layout::block_cyclic(plan.block, plan.process_grid);
    case Cut::tiled: return Layout::tiled(plan.block, plan.process_grid);
    case Cut::tiled_irregular: return Layout::tiled_irregular(plan.starts, plan.process_grid);
  }
  return {};
}

/// Without the starts of empty blocks, which programs may give and Atoll does not take: their
/// processes own nothing.
void leave_out_empty_blocks(const Plan& plan, Placement& placement, int owners) {
  Starts full;
  Index count = plan.shape;
  bool some_empty = false;
  for (int d = 0; d < plan.shape.size(); ++d) {
    const auto& starts = plan.starts[static_cast<std::size_t>(d)];
    count[d] = std::ssize(starts);
    auto& kept = full.emplace_back();
    for (std::size_t b = 0; b < starts.size(); ++b)
      if (b + 1 == starts.size() || starts[b] != starts[b + 1]) kept.push_back(starts[b]);
    some_empty = some_empty || kept.size() < starts.size();
  }
  if (count.product() > owners)
    throw Error(ErrorKind::value, "nblock gives " + std::to_string(count.product()) +
                                      " blocks for " + std::to_string(owners) + " processes");
  if (!some_empty) return;
  std::vector<int> holders;
  Index block = Index::filled(count.size(), 0);
  int number = 0;
  do {
    bool empty = false;
    for (int d = 0; d < count.size(); ++d) {
      const auto& starts = plan.starts[static_cast<std::size_t>(d)];
      const auto b = static_cast<std::size_t>(block[d]);
      empty = empty || (b + 1 < starts.size() && starts[b] == starts[b + 1]);
    }
    const auto n = static_cast<std::size_t>(number);
    if (!empty) holders.push_back(placement.owners.empty() ? number : placement.owners[n]);
    ++number;
  } while (next_position(block, count));
  placement = {Layout::irregular(std::move(full)), std::move(holders)};
}

/// The blocks that as many ranks as there are owners would have, as a layout for more ranks.
Layout for_first_ranks(const Plan& plan, const Layout& layout, int owners) {
  const Distribution distribution(layout, plan.shape, owners);
  if (plan.cut == Cut::block_cyclic)
    throw Error(ErrorKind::unsupported,
                "a block-cyclic array without a grid of processes lies on all processes of its "
                "group: it cannot be restricted");
  if (plan.cut != Cut::blocked) return layout;  // its grid is given
  Starts starts(static_cast<std::size_t>(plan.shape.size()));
  for (int rank = 0; rank < owners; ++rank)
    for (const Patch& patch : distribution.patches(rank))
      for (int d = 0; d < plan.shape.size(); ++d)
        starts[static_cast<std::size_t>(d)].push_back(patch.lo[d]);
  for (auto& list : starts) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return Layout::irregular(std::move(starts));
}

}  // namespace

Placement placement_of(const Plan& plan, std::int64_t bytes, int processes) {
  Placement placement{layout_of(plan), plan.restricted};
  const bool restricted = !plan.restricted.empty();
  const int owners = restricted ? static_cast<int>(plan.restricted.size()) : processes;
  if (plan.cut == Cut::irregular)
    leave_out_empty_blocks(plan, placement, owners);
  else if (restricted)
    placement.layout = for_first_ranks(plan, placement.layout, owners);
  Layout& layout = placement.layout;
  layout.halo = plan.ghosts;
  if (bytes == 0) return placement;
  if (layout.kind == DistributionKind::blocked && layout.block.empty())
    layout.block = Index::filled(plan.shape.size(), 0);
  if (!layout.block.empty()) layout.block.push_back(bytes);
  if (!layout.grid.empty()) layout.grid.push_back(1);
  if (!layout.starts.empty()) layout.starts.push_back({0});
  if (!layout.halo.empty()) layout.halo.push_back(0);
  return placement;
}

}  // namespace lagoon::atoll::ga
