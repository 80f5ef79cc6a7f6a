// Topology: numbering nodes by their lowest rank.
#include "world/topology.hpp"

#include <algorithm>

namespace lagoon::atoll::detail {

Topology Topology::of(const std::vector<std::int32_t>& leaders, int rank) {
  Topology t;
  t.rank = rank;
  t.size = static_cast<int>(leaders.size());
  t.leader_of = leaders;
  std::sort(t.leader_of.begin(), t.leader_of.end());
  t.leader_of.erase(std::unique(t.leader_of.begin(), t.leader_of.end()), t.leader_of.end());
  t.nodes = static_cast<int>(t.leader_of.size());
  std::vector<std::int32_t> ranks_on(t.leader_of.size(), 0);
  for (const std::int32_t leader : leaders) {
    const auto node = std::lower_bound(t.leader_of.begin(), t.leader_of.end(), leader);
    t.node_of.push_back(static_cast<std::int32_t>(node - t.leader_of.begin()));
    t.place_of.push_back(ranks_on[static_cast<std::size_t>(t.node_of.back())]++);
  }
  if (rank < 0) return t;
  t.node = t.node_of[static_cast<std::size_t>(rank)];
  t.local_rank = t.place_of[static_cast<std::size_t>(rank)];
  for (int r = 0; r < t.size; ++r)
    if (t.node_of[static_cast<std::size_t>(r)] == t.node) t.node_ranks.push_back(r);
  return t;
}

}  // namespace lagoon::atoll::detail
