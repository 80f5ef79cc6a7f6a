#include "ghost/windows/attendant.hpp"

#include <mpi.h>

#include <atomic>

#include "ghost/ghost.hpp"
#include "transport/helper.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::ghost {

namespace {

std::atomic<int> attended{0};
int unused_tag = 0;
atoll::detail::Helper* helper = nullptr;

/// Looks for a message that does not come, which moves all else on; MPI does not tell whether there
/// was something to move. (MPICH looks nowhere else for one on a communicator of one rank.)
bool look() {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag, user_world(), &flag, MPI_STATUS_IGNORE);
  return false;
}

}  // namespace

bool attend_window() {
  if (!threads_allowed()) return false;
  if (helper == nullptr) {
    const int* highest = nullptr;
    int there = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &there);
    if (there != 0) unused_tag = *highest;
    helper = new atoll::detail::Helper(atoll::detail::waiting::attentive_agent, look,
                                       [] { return attended.load() > 0; });
  }
  ++attended;
  helper->wake();
  return true;
}

void leave_window() noexcept { --attended; }

void end_attendant() noexcept {
  delete helper;
  helper = nullptr;
}

}  // namespace lagoon::atoll::ghost
