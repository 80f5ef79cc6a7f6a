#include "ghost/windows/attendant.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <system_error>

#include "ghost/ghost.hpp"
#include "transport/helper.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::ghost {

namespace {

std::atomic<int> attended{0};
// Of the program's threads: how many are in a call, and how many calls are over. They order
// nothing.
std::atomic<int> inside{0};
std::atomic<unsigned> calls_over{0};
int unused_tag = 0;
atoll::detail::Helper* helper = nullptr;

/// Looks for a message that does not come, which moves all else on; MPI does not tell whether there
/// was something to move. (MPICH looks nowhere else for one on a communicator of one rank.)
///
/// Rarely while the program is in MPI, or was since the last look: it would only wait for MPI's
/// locks, and take its core. But not never: some calls, as MPI_Win_sync, move nothing on.
bool look() {
  static unsigned known = 0;
  const unsigned over = calls_over.load(std::memory_order_relaxed);
  if (inside.load(std::memory_order_relaxed) > 0 || over != known)
    atoll::detail::take_nap(atoll::detail::waiting::beside_rank);
  known = over;
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
  try {
    helper->start();
  } catch (const std::system_error& error) {  // no thread can be had
    --attended;
    std::fprintf(stderr, "atoll ghost: no thread for the progress of a window: %s\n", error.what());
    return false;
  }
  return true;
}

void leave_window() noexcept { --attended; }

InOwnCall::InOwnCall() noexcept { inside.fetch_add(1, std::memory_order_relaxed); }
InOwnCall::~InOwnCall() {
  inside.fetch_sub(1, std::memory_order_relaxed);
  calls_over.fetch_add(1, std::memory_order_relaxed);
}

void end_attendant() noexcept {
  delete helper;
  helper = nullptr;
}

}  // namespace lagoon::atoll::ghost
