// ThreadRule: what MPI says, asked once.
#include "world/thread_rule.hpp"

#include <atomic>
#include <string>
#include <thread>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/one_thread.hpp"

namespace lagoon::atoll::detail {

namespace {

OneThread in_mpi;  // where MPI wants its callers one at a time
// Those of them that are in a MpiTurn, or about to try: what they do is soon over.
std::atomic<int> turns{0};  // NOLINT: constant-initialised

std::string refused(const char* level, const char* who) {
  return std::string("MPI was started with ") + level + ": " + who +
         " may call what uses MPI; start it by MPI_Init_thread with MPI_THREAD_MULTIPLE";
}

}  // namespace

bool ThreadRule::restricted_ = false;
bool ThreadRule::serialized_ = false;

void ThreadRule::start() noexcept {
  mpi::ThreadLevel level = mpi::ThreadLevel::single;
  mpi::query_thread(&level);
  restricted_ = level < mpi::ThreadLevel::serialized;
  serialized_ = level == mpi::ThreadLevel::serialized;
}

bool ThreadRule::is_main_thread() noexcept {
  int main = 0;
  mpi::is_thread_main(&main);
  return main != 0;
}

void ThreadRule::check_thread() {
  if (!is_main_thread())
    throw Error(ErrorKind::state, refused("MPI_THREAD_SINGLE or MPI_THREAD_FUNNELED",
                                          "the thread that has started it alone"));
}

void MpiCall::enter() {
  while (!in_mpi.try_enter()) {
    if (turns.load(std::memory_order_acquire) == 0)
      throw Error(ErrorKind::state, refused("MPI_THREAD_SERIALIZED", "one thread at a time"));
    std::this_thread::yield();
  }
  entered_ = true;
}

void MpiCall::leave() noexcept { in_mpi.leave(); }

bool MpiTurn::try_enter() noexcept {
  turns.fetch_add(1, std::memory_order_acq_rel);
  if (in_mpi.try_enter()) return true;
  turns.fetch_sub(1, std::memory_order_acq_rel);
  return false;
}

void MpiTurn::leave() noexcept {
  in_mpi.leave();
  turns.fetch_sub(1, std::memory_order_acq_rel);
}

}  // namespace lagoon::atoll::detail
