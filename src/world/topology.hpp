// Topology: which ranks share a node. Real nodes come from MPI; ATOLL_NODES=k splits each into k
// virtual ones that share nothing, so that every path between nodes can be tested anywhere.
#pragma once

#include <cstdint>
#include <vector>

namespace lagoon::atoll::detail {

struct Topology {
  int rank = 0;
  int size = 1;
  int nodes = 1;
  int node = 0;                          ///< mine
  std::vector<std::int32_t> node_of;     ///< by world rank
  std::vector<std::int32_t> place_of;    ///< by world rank: its place among those of its node
  std::vector<std::int32_t> leader_of;   ///< by node: world rank of its leader, its lowest rank
  std::vector<std::int32_t> node_ranks;  ///< world ranks on my node, ascending
  int local_rank = 0;                    ///< my place in node_ranks
  int host_ranks = 1;  ///< processes on the real host, progress ranks too, for oversubscription
  int host_cores = 1;
  /// Whether ranks, and agents that are threads beside them, outnumber the cores of the host.
  bool is_oversubscribed(int agents) const noexcept { return host_ranks + agents > host_cores; }
  bool one_host = true;  ///< that of all ranks

  bool leader() const noexcept { return local_rank == 0; }

  /// Of the ranks whose node's leaders are `leaders`; `rank` is mine, or -1 for none of them.
  /// The host's numbers are the caller's.
  static Topology of(const std::vector<std::int32_t>& leaders, int rank);
};

}  // namespace lagoon::atoll::detail
