// How many threads the BLAS uses: the ranks of a node share its cores.
#pragma once

#include "atoll/group.hpp"

namespace lagoon::atoll::detail {

/// So that the ranks of a node together have as many threads as it has cores; the environment's
/// word (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS) goes before ours. Once a process.
void share_cores(const Group& group);

/// All cores of the node for one rank, while the others wait.
class AllCores {
 public:
  explicit AllCores(const Group& group);
  AllCores(const AllCores&) = delete;
  AllCores& operator=(const AllCores&) = delete;
  ~AllCores();

 private:
  int share_;
};

}  // namespace lagoon::atoll::detail
