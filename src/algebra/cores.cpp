// Telling the BLAS how many threads to use.
#include "algebra/cores.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "algebra/blas.hpp"

namespace lagoon::atoll::detail {

namespace {

bool environment_decides() {
  return std::getenv("OPENBLAS_NUM_THREADS") != nullptr ||
         std::getenv("OMP_NUM_THREADS") != nullptr;
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

int share_of(const Group& group) {
  const auto near = static_cast<int>(group.node_ranks().size());
  return std::max(1, cores() / std::max(1, near));
}

}  // namespace

void share_cores(const Group& group) {
  static bool done = false;
  if (std::exchange(done, true) || environment_decides()) return;
  set_blas_threads(share_of(group));
}

AllCores::AllCores(const Group& group) : share_(share_of(group)) {
  share_cores(group);
  if (!environment_decides()) set_blas_threads(cores());
}

AllCores::~AllCores() {
  if (!environment_decides()) set_blas_threads(share_);
}

}  // namespace lagoon::atoll::detail
