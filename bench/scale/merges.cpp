// Merges of 1 GiB a node that all nodes have written: the plan of one rank.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "array/mirror/merge_plan.hpp"
#include "tables.hpp"

namespace lagoon::atoll::scale {

void print_merges() {
  const Index shape{1024, 131'072};
  const detail::Tiling tiling(shape, sizeof(double));
  for (const int ranks : rank_counts) {
    const int nodes = ranks / ranks_of_node;
    std::vector<std::vector<int>> on_nodes(static_cast<std::size_t>(nodes));
    for (int rank = 0; rank < ranks; ++rank)
      on_nodes[static_cast<std::size_t>(rank / ranks_of_node)].push_back(rank);
    const detail::NodeMembers members(std::move(on_nodes), 0);
    std::vector<detail::Parcel> parcels;
    const double time = microseconds(
        [&] {
          detail::MergePlan plan(members, tiling, sizeof(double));
          plan.confine({{0, 0}, shape, {}});
          detail::NodeSet all(static_cast<std::size_t>(nodes + 63) / 64, 0);
          for (int node = 0; node < nodes; ++node)
            all[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
          plan.add(0, tiling.tiles(), all, -1);
          parcels = plan.parcels(0, true);
        },
        1);
    // Under way at once: as many as merge_job.cpp begins. A home has a buffer for each other node.
    const auto most = std::min(parcels.size(), static_cast<std::size_t>(std::max(8, 2 * nodes)));
    std::int64_t buffers = 0, largest = 0, sent = 0, messages = 0;
    for (std::size_t i = 0; i < parcels.size(); ++i) {
      const detail::Parcel& parcel = parcels[i];
      largest = std::max(largest, parcel.bytes);
      sent += parcel.home == 0 ? parcel.bytes * (nodes - 1) : parcel.bytes;
      messages += parcel.home == 0 ? nodes - 1 : 1;
      if (i < most) buffers += parcel.home == 0 ? nodes : 1;
    }
    const std::int64_t room = detail::MergePlan::largest_parcel(nodes);
    const auto marks = static_cast<std::int64_t>(3 * (tiling.tiles() + 63) / 64 * 8) * nodes;
    std::printf("merges\t%d\t%d\t%.0f\t%zu\t%lld\t%lld\t%lld\t%lld\t%lld\n", ranks, nodes, time,
                parcels.size(), static_cast<long long>(largest),
                static_cast<long long>(buffers * room), static_cast<long long>(messages),
                static_cast<long long>(sent), static_cast<long long>(marks));
  }
}

}  // namespace lagoon::atoll::scale
