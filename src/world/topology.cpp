// Topology: asking MPI who shares memory, then numbering nodes by their lowest rank.
#include "world/topology.hpp"

#include <sched.h>

#include <algorithm>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

// Ranks may be bound to different cores, so the host's cores are the union of all masks.
int count_cores(MPI_Comm host) {
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_SET(0, &mine);
  MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host);
  return CPU_COUNT(&all);
}

}  // namespace

Topology Topology::find(MPI_Comm world, int virtual_nodes) {
  Topology t;
  MPI_Comm_rank(world, &t.rank);
  MPI_Comm_size(world, &t.size);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, t.rank, MPI_INFO_NULL, &host);
  int host_rank = 0;
  MPI_Comm_rank(host, &host_rank);
  MPI_Comm_size(host, &t.host_ranks);
  t.host_cores = count_cores(host);

  int fewest = 0;
  MPI_Allreduce(&t.host_ranks, &fewest, 1, MPI_INT, MPI_MIN, world);
  if (virtual_nodes > fewest) {
    MPI_Comm_free(&host);
    throw Error(ErrorKind::value,
                "environment variable ATOLL_NODES=" + std::to_string(virtual_nodes) +
                    ": a host has only " + std::to_string(fewest) + " ranks to split into nodes");
  }
  // Consecutive ranks of a host stay together; sizes differ by one at most.
  const auto part =
      static_cast<int>(static_cast<std::int64_t>(host_rank) * virtual_nodes / t.host_ranks);
  int leader = t.rank;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(host, part, t.rank, &node);
  MPI_Bcast(&leader, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  MPI_Comm_free(&host);

  std::vector<std::int32_t> leaders(static_cast<std::size_t>(t.size));
  MPI_Allgather(&leader, 1, MPI_INT32_T, leaders.data(), 1, MPI_INT32_T, world);
  t.leader_of = leaders;
  std::sort(t.leader_of.begin(), t.leader_of.end());
  t.leader_of.erase(std::unique(t.leader_of.begin(), t.leader_of.end()), t.leader_of.end());
  t.nodes = static_cast<int>(t.leader_of.size());
  t.node_of.resize(leaders.size());
  for (std::size_t r = 0; r < leaders.size(); ++r)
    t.node_of[r] = static_cast<std::int32_t>(
        std::lower_bound(t.leader_of.begin(), t.leader_of.end(), leaders[r]) - t.leader_of.begin());
  t.node = t.node_of[static_cast<std::size_t>(t.rank)];
  for (int r = 0; r < t.size; ++r)
    if (t.node_of[static_cast<std::size_t>(r)] == t.node) {
      if (r == t.rank) t.local_rank = static_cast<int>(t.node_ranks.size());
      t.node_ranks.push_back(r);
    }
  return t;
}

}  // namespace lagoon::atoll::detail
