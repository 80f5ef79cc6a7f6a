#include "ghost/windows/attendant.hpp"

#include <mpi.h>

#include <atomic>

#include "ghost/ghost.hpp"
#include "transport/helper.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::ghost {

namespace {

std::atomic<int> attended{0};
atoll::detail::Helper* helper = nullptr;

/// MPI does not tell whether there was progress to make. MPICH makes none where it asks a process's
/// own communicator, or finds what it asks for: hence a tag that is hardly used.
bool look() {
  constexpr int rare_tag = 32767;  // the largest that every MPI has
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, rare_tag, user_world(), &flag, MPI_STATUS_IGNORE);
  return false;
}

}  // namespace

bool attend_window() {
  if (!threads_allowed()) return false;
  if (helper == nullptr) {
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
