// Transport: start and stop, the agent thread, and what needs no messages.
#include "transport/transport.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "transport/clients.hpp"
#include "transport/rma_path.hpp"
#include "transport/server.hpp"
#include "world/collective.hpp"
#include "world/domains.hpp"
#include "world/ending.hpp"
#include "world/looking.hpp"
#include "world/thread_rule.hpp"

namespace lagoon::atoll::detail {

std::unique_ptr<Progress> make_progress(WorldState& world) {
  if (Stripes::bytes + Registry::bytes() + NodeMemory::scratch_bytes > NodeMemory::reserved_bytes)
    throw Error(ErrorKind::state, "the reserved part of the region is too small for its tables");
  return std::make_unique<Transport>(world);
}

Transport::Transport(WorldState& world) : mode_(world.config.progress) {
  const Roles& roles = *world.roles;
  check_mpi(mpi::comm_dup(roles.everybody, &communicator_), "MPI_Comm_dup");
  threads_ = Roles::threads_allowed() && mode_ != ProgressMode::none;
  if (!threads_ && mode_ == ProgressMode::thread && world.topology.rank == 0)
    std::fprintf(stderr,
                 "atoll: MPI was started without MPI_THREAD_MULTIPLE, so no agent thread can run: "
                 "ranks serve requests of other nodes only while they are inside Atoll\n");
  if (wants_rma_window(world.config, roles)) choose_rma(world);
  try {
    agree_to_start(roles.everybody, attempt([&] { set_up(world); }));
  } catch (...) {
    take_down();
    throw;
  }
}

void Transport::set_up(WorldState& world) {
  const Roles& roles = *world.roles;
  clients_ = std::make_unique<Clients>(world, communicator_, rma_.get(), threads_);
  if (threads_)
    mover_ = std::make_unique<Helper>(
        waiting::mover,
        [this] {
          if (!clients_->poll_aside()) return false;
          take_nap(waiting::mover.shortest);  // there is not more at once
          return true;
        },
        [this] { return clients_->needs_looks(); });
  if (!world.topology.leader()) return;
  if (mode_ == ProgressMode::rank) {
    const int first = world.topology.node * roles.agents_per_node;
    for (int i = 0; i < roles.agents_per_node; ++i) progress_ranks_.push_back(first + i);
    return;
  }
  server_ = std::make_unique<Server>(world.node_memory(), communicator_);
  if (!threads_) return;
  auto rank_serves = [this, seen = std::uint32_t{0}]() mutable {
    const std::uint32_t polls = polls_by_rank_.load(std::memory_order_relaxed);
    return polls != std::exchange(seen, polls);
  };
  Doorbell* const doorbell = roles.doorbell.get();
  const auto serve = [this, rank_serves, doorbell,
                      looking = Looking(!oversubscribed() && my_cores().size() > 1)]() mutable {
    return looking.serve([&]() noexcept {
      for (; rank_serves(); looking.slept()) take_nap(waiting::beside_rank);
      return server_->poll_for(doorbell);
    });
  };
  agent_ = std::make_unique<Helper>(
      waiting::agent_policy(rma_ != nullptr), serve, [] { return true; }, doorbell);
  try {
    agent_->start();
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::communication, std::string("cannot start an agent: ") + error.what());
  }
}

/// Makes the window; keeps it where the MPI does RMA right and, if it was not asked for, quickly.
void Transport::choose_rma(WorldState& world) {
  const Roles& roles = *world.roles;
  auto path = std::make_unique<RmaPath>(communicator_, roles, world.node_memory());
  bool use = path->test();
  if (!use && world.config.transport == TransportMode::rma && world.topology.rank == 0)
    std::fprintf(stderr,
                 "atoll: ATOLL_TRANSPORT=rma: this MPI fails the self-test of one-sided "
                 "operations; messages are used instead\n");
  if (use && world.config.transport == TransportMode::automatic) {
    // A network that serves a get without the target's processor needs less than a round trip of
    // two messages; everything slower is RMA by messages, and ours are better.
    int quick = path->seconds_of_get() < seconds_of_round_trip(roles) ? 1 : 0;
    check_mpi(
        mpi::allreduce(mpi::in_place(), &quick, 1, mpi::type_int, mpi::op_min, world.communicator),
        "MPI_Allreduce");
    use = quick != 0;
  }
  // Else the window goes; that is collective with the progress ranks.
  if (agreed_rma_choice(communicator_, use)) rma_ = std::move(path);
}

Transport::~Transport() {
  mover_.reset();
  for (const int agent : progress_ranks_) clients_->stop(agent);
  clients_->drain();
  take_down();
}

void Transport::take_down() {
  mover_.reset();
  agent_.reset();
  rma_.reset();
  server_.reset();
  clients_.reset();
  mpi::comm_free(&communicator_);
}

bool Transport::poll() noexcept {
  bool moved = clients_->poll();
  polls_by_rank_.fetch_add(1, std::memory_order_relaxed);
  if (server_ != nullptr) moved = server_->poll() || moved;
  return moved;
}

void Transport::serve_now_and_then() {
  constexpr unsigned calls_between = 16;
  if ((calls_unserved_.fetch_add(1, std::memory_order_relaxed) + 1) % calls_between == 0)
    (void)WorldState::get().serve();
}

bool Transport::needs_looks() const noexcept {
  const bool moved_aside = mover_ != nullptr && mover_->runs();
  return server_ != nullptr || (!moved_aside && clients_->needs_looks());
}

void Transport::send_batches() { clients_->send_batches(); }
void Transport::fence(int node) { clients_->fence(node); }
void Transport::fence_all() { clients_->fence_all(); }

void Transport::observe() noexcept {
  if (server_ != nullptr) server_->observe();
}

std::string Transport::describe() const {
  const std::string path = rma_ != nullptr ? "MPI RMA and messages" : "messages";
  if (mode_ == ProgressMode::rank) return path + ", served by progress ranks of each node";
  return path + (threads_ ? ", served by a thread of each node's first rank"
                          : ", served by each node's first rank while it is inside Atoll");
}

void Transport::transfer(Action action, const Place& place, const Side& side, const Index& shape,
                         ElementType type, const void* alpha, Operation& operation) {
  clients_->to(place).transfer(action, place, side, shape, type, alpha, operation);
  if (operation.nonblocking && mover_ != nullptr) mover_->wake();
}

std::int64_t Transport::fetch(Action action, const Place& place, ElementType type,
                              std::int64_t operand) {
  return clients_->to(place).fetch(action, place, type, operand);
}

void Transport::scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                          std::byte* values, ElementType type, const void* alpha,
                          Operation& operation) {
  clients_->to(place).scattered(action, place, offsets, values, type, alpha, operation);
}

void Transport::update(const Place& place, const UpdateKind& kind, std::span<const UpdateRun> runs,
                       const std::byte* operands, std::byte* old, Operation& operation) {
  clients_->to(place).update(place, kind, runs, operands, old, operation);
  if (operation.nonblocking && mover_ != nullptr) mover_->wake();
}

Operation::~Operation() {
  if (pending == 0 || WorldState::running == nullptr) return;
  // Its memory is the caller's, and nobody may ever come to move it on.
  if (!ThreadRule::permits())
    end_run(
        {"an operation under way was dropped by a thread that may not call MPI: MPI was "
         "started without threads, or funneled; wait for it in the thread that has started MPI"},
        1);
  WorldState::running->wait_until([this] { return pending == 0; });
}

void Operation::wait() {
  if (together && !nonblocking)
    if (Transport* const way = transport(WorldState::get())) way->send_batches();
  if (pending > 0) {
    const MpiCall call;
    WorldState::get().wait_until([this] { return pending == 0; });
  }
  if (!waited.exchange(true)) keeps.reset();
  if (!failed.exchange(false)) return;
  throw Error(ErrorKind::state, "the array was destroyed while the operation was under way");
}

void begin_atomics(SegmentRecord& record, const Stripes& stripes) noexcept {
  constexpr std::uint32_t settled = 1, announced = 2;
  if (record.atomics_in_use.load(std::memory_order_acquire) == settled) {
#if defined(__SANITIZE_THREAD__)
    // Another process may have settled it, whose part in the order ThreadSanitizer does not see.
    stripes.pass_all();
#endif
    return;
  }
  // Accumulates read the flag under their stripe's lock. Those that read zero hold it now; when we
  // have had every lock they are done, and all later ones see the flag.
  std::uint32_t none = 0;
  record.atomics_in_use.compare_exchange_strong(none, announced, std::memory_order_seq_cst);
  stripes.pass_all();
  record.atomics_in_use.store(settled, std::memory_order_release);
}

std::int64_t fetch_in_memory(Action action, ElementType type, std::byte* element,
                             std::int64_t operand) noexcept {
  return with_chosen_type<can_count>(type, [&]<class T>(T) {
    return static_cast<std::int64_t>(
        fetch_element(action, reinterpret_cast<T*>(element), static_cast<T>(operand)));
  });
}

void scatter_in_memory(const Stripes& stripes, Action action, const Addition& addition,
                       std::byte* base, std::span<const std::int64_t> offsets,
                       const std::byte* values) {
  if (action == Action::scatter_accumulate) {
    accumulate_scattered(stripes, addition, base, offsets, values);
    return;
  }
  const std::size_t size = size_of(addition.type);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(base + offsets[i], values + i * size, size);
}

}  // namespace lagoon::atoll::detail
