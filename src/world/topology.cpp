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
  t.node_of.resize(leaders.size());
  for (std::size_t r = 0; r < leaders.size(); ++r)
    t.node_of[r] = static_cast<std::int32_t>(
        std::lower_bound(t.leader_of.begin(), t.leader_of.end(), leaders[r]) - t.leader_of.begin());
  if (rank < 0) return t;
  t.node = t.node_of[static_cast<std::size_t>(t.rank)];
  for (int r = 0; r < t.size; ++r)
    if (t.node_of[static_cast<std::size_t>(r)] == t.node) {
      if (r == t.rank) t.local_rank = static_cast<int>(t.node_ranks.size());
      t.node_ranks.push_back(r);
    }
  return t;
}

}  // namespace lagoon::atoll::detail
