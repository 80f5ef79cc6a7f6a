// Agents: sleeping, scheduling, and the whole life of a progress rank.
#include "transport/agent.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>

#include "transport/rma_path.hpp"
#include "transport/server.hpp"
#include "world/waiter.hpp"

namespace lagoon::atoll::detail {

namespace {

using std::chrono::microseconds;

// Shorter naps take processor time that the scheduler then gives to the computing rank first, so
// that requests are served later (measured).
constexpr microseconds shortest_nap{10};
constexpr int share_of_quiet = 2;
constexpr microseconds attentive_nap{20};
constexpr microseconds longest_nap{2000};
constexpr microseconds while_rank_serves{500};

// The kernel rounds sleeps up by this much; its default of 50 microseconds would double ours.
constexpr unsigned long timer_slack_nanoseconds = 1000;

/// Asks the scheduler to let this thread run soon after it wakes, for short turns. Linux 6.12 and
/// later grant a short time slice without privilege; others ignore it.
void ask_for_short_turns() noexcept {
  // The kernel's struct sched_attr, first version; its header does not go with glibc's <sched.h>.
  struct {
    std::uint32_t size = 48, policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 100000;  // nanoseconds, the least that is allowed
    std::uint64_t deadline = 0, period = 0;
  } attributes;
  static_assert(sizeof attributes == 48);
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

void AgentNap::sleep() noexcept {
  if (attentive_)
    take_nap(attentive_nap);
  else
    take_nap(nap_after(Clock::now() - last_request_, share_of_quiet, shortest_nap, longest_nap));
}

void AgentNap::stand_back() noexcept { take_nap(while_rank_serves); }

void prepare_agent_thread() noexcept {
  prctl(PR_SET_TIMERSLACK, timer_slack_nanoseconds, 0, 0, 0);
  ask_for_short_turns();
}

// The collective calls here are those of WorldState and Transport, in the same order.
void serve_node(const Roles& roles, const Config& config) {
  NodeMemory memory(roles.node, config);
  MPI_Comm communicator = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(roles.everybody, &communicator), "MPI_Comm_dup");
  std::unique_ptr<RmaPath> rma;
  if (wants_rma_window(config, roles)) rma = std::make_unique<RmaPath>(communicator, roles, memory);
  bool rma_decided = rma == nullptr;
  MPI_Request decision = MPI_REQUEST_NULL;
  int use_rma = 0;
  if (!rma_decided)
    check_mpi(MPI_Ibcast(&use_rma, 1, MPI_INT, 0, communicator, &decision), "MPI_Ibcast");
  {
    Server server(memory, communicator);
    prepare_agent_thread();
    // MPI serves operations of its window inside our looks for messages, without a sign.
    AgentNap nap(rma != nullptr);
    while (!server.stopped()) {
      if (!rma_decided) {
        int done = 0;
        check_mpi(MPI_Test(&decision, &done, MPI_STATUS_IGNORE), "MPI_Test");
        rma_decided = done != 0;
        if (rma_decided && use_rma == 0) rma.reset();
      }
      if (server.poll()) {
        nap.reset();
        continue;
      }
      nap.sleep();
    }
    rma.reset();
  }
  MPI_Comm_free(&communicator);
}

}  // namespace lagoon::atoll::detail
