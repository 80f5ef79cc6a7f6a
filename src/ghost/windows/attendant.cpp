#include "ghost/windows/attendant.hpp"

#include <mpi.h>

#include <atomic>

#include "ghost/ghost.hpp"
#include "transport/helper.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::ghost {

namespace {

std::atomic<int> attended{0};
MPI_Comm own = MPI_COMM_NULL;
atoll::detail::Helper* helper = nullptr;

/// Any call makes progress; MPI does not tell whether there was some to make.
bool look() {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own, &flag, MPI_STATUS_IGNORE);
  return false;
}

}  // namespace

bool attend_window() {
  if (!threads_allowed()) return false;
  if (helper == nullptr) {
    PMPI_Comm_dup(MPI_COMM_SELF, &own);
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
  if (own != MPI_COMM_NULL) PMPI_Comm_free(&own);
}

}  // namespace lagoon::atoll::ghost
