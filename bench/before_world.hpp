// Before the World starts: who measures raw MPI alone. With ATOLL_PROGRESS=rank some processes of
// MPI_COMM_WORLD become progress ranks and take part in nothing else, so raw MPI is measured by the
// first rank of every node only; the others wait asleep.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <vector>

namespace bench {

class BeforeWorld {
 public:
  /// Collective over MPI_COMM_WORLD, as is the destructor. Nodes are hosts, or what ATOLL_NODES
  /// makes of one.
  BeforeWorld();
  BeforeWorld(const BeforeWorld&) = delete;
  BeforeWorld& operator=(const BeforeWorld&) = delete;
  ~BeforeWorld();

  /// The first rank of every node; MPI_COMM_NULL on other ranks.
  MPI_Comm firsts() const { return firsts_; }
  /// Number of nodes, on every rank.
  int nodes() const { return nodes_; }
  /// All processes of my node, those that will be progress ranks included; on its first rank.
  const std::vector<pid_t>& processes() const { return processes_; }
  /// Waits for all of MPI_COMM_WORLD in the kernel: who measures has the cores. Collective.
  static void wait_asleep();

 private:
  MPI_Comm firsts_ = MPI_COMM_NULL;
  int nodes_ = 0;
  std::vector<pid_t> processes_;
};

}  // namespace bench
