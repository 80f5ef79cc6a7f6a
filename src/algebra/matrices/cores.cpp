// Telling the BLAS how many threads to use.
#include "algebra/matrices/cores.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "algebra/matrices/blas.hpp"
#include "atoll/world.hpp"
#include "world/domains.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

/// ATOLL_THREADS, which is checked with the other settings; 0: not set.
int threads_asked_for() {
  const char* const text = std::getenv("ATOLL_THREADS");
  return text != nullptr ? std::atoi(text) : 0;
}

/// What was set when the first world started: later the Python package sets these variables itself,
/// for libraries that are loaded later. What says the same as ATOLL_THREADS comes from atoll run.
bool environment_decides() {
  static const bool decides = [] {
    for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"})
      if (const char* const text = std::getenv(name);
          text != nullptr && (threads_asked_for() == 0 || std::atoi(text) != threads_asked_for()))
        return true;
    return false;
  }();
  return decides;
}

/// How many cores this process may run on.
int cores() { return std::max(1, static_cast<int>(my_cores().size())); }

}  // namespace

// If all ranks of the host compute: also those that are not in the group.
int own_cores() {
  if (const int asked = threads_asked_for(); asked > 0) return std::min(cores(), asked);
  const Topology& host = WorldState::get().topology;
  return std::min(cores(), std::max(1, host.host_cores / std::max(1, host.host_ranks)));
}

bool cores_are_shared() { return !environment_decides() && own_cores() < cores(); }

void share_cores() {
  static bool done = false;
  if (std::exchange(done, true) || environment_decides()) return;
  set_blas_threads(own_cores());
}

AllCores::AllCores(const Group& group)
    : taken_(!environment_decides() &&
             group.node_ranks().size() == World::current().node_ranks().size()) {
  if (taken_) set_blas_threads(cores());
}

AllCores::~AllCores() {
  if (taken_) set_blas_threads(own_cores());
}

}  // namespace lagoon::atoll::detail
