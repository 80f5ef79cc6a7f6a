// ThreadRule: what MPI says, asked once.
#include "world/thread_rule.hpp"

#include <mpi.h>

#include <string>

#include "atoll/error.hpp"
#include "world/one_thread.hpp"

namespace lagoon::atoll::detail {

namespace {

OneThread in_mpi;  // where MPI wants its callers one at a time

std::string refused(const char* level, const char* who) {
  return std::string("MPI was started with ") + level + ": " + who +
         " may call what uses MPI; start it by MPI_Init_thread with MPI_THREAD_MULTIPLE";
}

}  // namespace

bool ThreadRule::restricted_ = false;
bool ThreadRule::serialized_ = false;

void ThreadRule::start() noexcept {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  restricted_ = level < MPI_THREAD_SERIALIZED;
  serialized_ = level == MPI_THREAD_SERIALIZED;
}

void ThreadRule::check_thread() {
  int main = 0;
  MPI_Is_thread_main(&main);
  if (main == 0)
    throw Error(ErrorKind::state, refused("MPI_THREAD_SINGLE or MPI_THREAD_FUNNELED",
                                          "the thread that has started it alone"));
}

void MpiCall::enter() {
  if (!in_mpi.try_enter())
    throw Error(ErrorKind::state, refused("MPI_THREAD_SERIALIZED", "one thread at a time"));
  entered_ = true;
}

void MpiCall::leave() noexcept { in_mpi.leave(); }

}  // namespace lagoon::atoll::detail
