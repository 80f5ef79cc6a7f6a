// Agents: sleeping, scheduling, and the whole life of a progress rank.
#include "transport/agent.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "atoll/world.hpp"
#include "transport/rma_path.hpp"
#include "transport/server.hpp"
#include "world/collective.hpp"
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

namespace {

void serve(Server& server, bool with_rma) {
  AgentNap nap(with_rma);  // MPI serves its window inside our looks, without a sign
  while (!server.stopped()) {
    if (server.poll())
      nap.reset();
    else
      nap.sleep();
  }
}

/// Made where the compute ranks make theirs (Transport::choose_rma), and kept if they keep it.
std::unique_ptr<RmaPath> chosen_rma(MPI_Comm communicator, const Roles& roles, NodeMemory& memory) {
  auto path = std::make_unique<RmaPath>(communicator, roles, memory);
  int use = 0, decided = 0;
  MPI_Request decision = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(&use, 1, MPI_INT, 0, communicator, &decision), "MPI_Ibcast");
  // Our looks serve the window while they try it, as often as later.
  for (AgentNap nap(true);; nap.sleep()) {
    check_mpi(MPI_Test(&decision, &decided, MPI_STATUS_IGNORE), "MPI_Test");
    if (decided != 0) break;
  }
  if (use == 0) path.reset();
  return path;
}

}  // namespace

// The collective calls here are those of WorldState and Transport, in the same order.
void serve_node(const Roles& roles, const Config& config) {
  std::unique_ptr<NodeMemory> memory;
  agree_to_start(roles.everybody,
                 attempt([&] { memory = std::make_unique<NodeMemory>(roles.node, config); }));
  agree_to_start(roles.everybody, {});  // the group of the compute ranks
  MPI_Comm communicator = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(roles.everybody, &communicator), "MPI_Comm_dup");
  std::unique_ptr<RmaPath> rma;
  if (wants_rma_window(config, roles)) rma = chosen_rma(communicator, roles, *memory);
  std::unique_ptr<Server> server;
  Failure failure = attempt([&] {
    server = std::make_unique<Server>(*memory, communicator);
    prepare_agent_thread();
  });
  failure = attempt([&] { agree_to_start(roles.everybody, failure); });
  if (!failure) {
    try {
      serve(*server, rma != nullptr);
    } catch (const std::exception& error) {
      World::abort(std::string("progress rank: ") + error.what());
    }
  }
  rma.reset();
  server.reset();
  MPI_Comm_free(&communicator);
  if (failure) throw Error(*failure);
}

}  // namespace lagoon::atoll::detail
