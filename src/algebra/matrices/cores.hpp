// How many threads the BLAS uses: the ranks of a node share its cores.
#pragma once

#include "atoll/group.hpp"

namespace lagoon::atoll::detail {

/// How many of its host's cores are this rank's part; with ATOLL_THREADS so many.
int own_cores();
/// Whether that is fewer than it may run on, and the user has not said otherwise.
bool cores_are_shared();

/// So that the ranks of a node together have as many threads as it has cores; the environment's
/// word (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS) goes before ours. Once a process.
void share_cores();

/// All cores of the node for one rank, if the others of its node are in the group: they wait.
class AllCores {
 public:
  explicit AllCores(const Group& group);
  AllCores(const AllCores&) = delete;
  AllCores& operator=(const AllCores&) = delete;
  ~AllCores();

 private:
  bool taken_;
};

}  // namespace lagoon::atoll::detail
