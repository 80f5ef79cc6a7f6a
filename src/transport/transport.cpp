// Transport: start and stop, the agent thread, and what needs no messages.
#include "transport/transport.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "atoll/error.hpp"
#include "transport/client.hpp"
#include "transport/server.hpp"

namespace lagoon::atoll::detail {

namespace {

// The kernel rounds sleeps up by this much; its default of 50 microseconds would double ours.
constexpr unsigned long timer_slack_nanoseconds = 1000;

/// How long the agent sleeps between looks. While there is traffic hardly at all, then ever longer:
/// a sleeper that wakes preempts a computing rank, a thread that yields would wait for its slice.
/// After a while without traffic the longest nap grows too, which halves an idle agent's cost.
class AgentNap {
 public:
  void reset() noexcept {
    nanoseconds_ = shortest;
    quiet_ = 0;
  }
  void longest() noexcept { nanoseconds_ = most(); }
  void sleep() noexcept {
    const timespec time{0, nanoseconds_};
    nanosleep(&time, nullptr);
    quiet_ += nanoseconds_;
    nanoseconds_ = std::min(nanoseconds_ + nanoseconds_ / 4, most());
  }

 private:
  static constexpr long microsecond = 1000, millisecond = 1000 * microsecond;
  static constexpr long shortest = microsecond, after_long = 500 * millisecond;
  // The last one keeps the median of the first request after a long silence below half a
  // millisecond.
  long most() const noexcept {
    if (quiet_ < 20 * millisecond) return 200 * microsecond;
    return (quiet_ < after_long ? 500 : 800) * microsecond;
  }
  long nanoseconds_ = shortest;
  long quiet_ = 0;  // slept since the last request
};

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

std::unique_ptr<Progress> make_progress(WorldState& world) {
  static_assert(sizeof(RequestHeader) % 8 == 0, "inline offsets are read as 64-bit integers");
  if (Stripes::bytes + Registry::bytes() > WorldState::reserved_bytes)
    throw Error(ErrorKind::state, "the reserved part of the region is too small for its tables");
  return world.topology.nodes > 1 ? std::make_unique<Transport>(world) : nullptr;
}

Transport::Transport(WorldState& world) {
  check_mpi(MPI_Comm_dup(world.communicator, &communicator_), "MPI_Comm_dup");
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  threaded_ = world.config.progress == ProgressMode::thread && level == MPI_THREAD_MULTIPLE;
  if (!threaded_ && world.config.progress == ProgressMode::thread && world.topology.rank == 0)
    std::fprintf(stderr,
                 "atoll: MPI was started without MPI_THREAD_MULTIPLE, so no agent thread can run: "
                 "ranks serve requests of other nodes only while they are inside Atoll\n");
  client_ = std::make_unique<Client>(world, communicator_);
  if (world.topology.leader()) {
    server_ = std::make_unique<Server>(world, communicator_);
    if (threaded_) agent_ = std::thread([this] { serve(); });
  }
}

Transport::~Transport() {
  client_->drain();
  stopping_.store(true);
  if (agent_.joinable()) agent_.join();
  server_.reset();
  client_.reset();
  MPI_Comm_free(&communicator_);
}

void Transport::serve() {
  prctl(PR_SET_TIMERSLACK, timer_slack_nanoseconds, 0, 0, 0);
  ask_for_short_turns();
  AgentNap nap;
  std::uint32_t seen = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    const std::uint32_t polls = polls_by_rank_.load(std::memory_order_relaxed);
    if (polls != seen) {
      nap.longest();  // the rank is waiting inside Atoll and serves; do not fight it for the lock
      seen = polls;
    } else if (server_->poll()) {
      nap.reset();
      continue;
    } else if (server_->streaming()) {
      nap.reset();
    }
    nap.sleep();
  }
}

bool Transport::poll() {
  bool moved = client_->poll();
  if (server_ != nullptr) {
    polls_by_rank_.fetch_add(1, std::memory_order_relaxed);
    moved = server_->poll() || moved;
  }
  return moved;
}

bool Transport::streaming() const noexcept {
  return client_->streaming() || (server_ != nullptr && server_->streaming());
}

void Transport::fence(int node) { client_->fence(node); }
void Transport::fence_all() { client_->fence_all(); }

void Transport::observe() noexcept {
  if (server_ != nullptr) server_->observe();
}

const char* Transport::describe() const noexcept {
  return threaded_ ? "messages, served by a thread of each node's first rank"
                   : "messages, served by each node's first rank while it is inside Atoll";
}

void Transport::transfer(Action action, const Place& place, const Side& side, const Index& shape,
                         ElementType type, const void* alpha, Operation& operation) {
  client_->transfer(action, place, side, shape, type, alpha, operation);
}

std::int64_t Transport::fetch(Action action, const Place& place, ElementType type,
                              std::int64_t operand) {
  return client_->fetch(action, place, type, operand);
}

void Transport::scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                          std::byte* values, ElementType type, const void* alpha,
                          Operation& operation) {
  client_->scattered(action, place, offsets, values, type, alpha, operation);
}

void Operation::wait() {
  if (pending > 0) WorldState::get().wait_until([this] { return pending == 0; });
  if (!failed) return;
  failed = false;
  throw Error(ErrorKind::state, "the array was destroyed while the operation was under way");
}

void begin_atomics(SegmentRecord& record, const Stripes& stripes) noexcept {
  constexpr std::uint32_t settled = 1, announced = 2;
  if (record.atomics_in_use.load(std::memory_order_acquire) == settled) return;
  // Accumulates read the flag under their stripe's lock. Those that read zero hold it now; when we
  // have had every lock they are done, and all later ones see the flag.
  std::uint32_t none = 0;
  record.atomics_in_use.compare_exchange_strong(none, announced, std::memory_order_seq_cst);
  stripes.pass_all();
  record.atomics_in_use.store(settled, std::memory_order_release);
}

std::int64_t fetch_in_memory(Action action, ElementType type, std::byte* element,
                             std::int64_t operand) noexcept {
  const auto fetch = [&]<class T>(T value) -> std::int64_t {
    const std::atomic_ref<T> target(*reinterpret_cast<T*>(element));
    return action == Action::swap ? target.exchange(value, std::memory_order_acq_rel)
                                  : target.fetch_add(value, std::memory_order_acq_rel);
  };
  return type == ElementType::int32 ? fetch(static_cast<std::int32_t>(operand)) : fetch(operand);
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
