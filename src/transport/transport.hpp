// Transport: moving patches between a rank's buffers and the blocks of a segment.
//
// Inside the node everything is load and store (strided.hpp, accumulate.hpp). To other nodes go
// messages: `Clients` are the origin's side, `Server` the agent's. The transport ties them to an
// agent thread on each node's leader or to progress ranks, and to the waiting loops of the world
// layer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/accumulate.hpp"
#include "transport/helper.hpp"
#include "transport/segment.hpp"
#include "transport/update.hpp"
#include "transport/wire.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

class Clients;
class RmaPath;
class Server;

/// Who is told of an operation's parts: of each as it begins, and when it is over and the caller's
/// buffer is free or filled, by whoever moves it on, maybe another thread, under the client's lock.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;
  virtual void begin_part() noexcept = 0;
  virtual void end_part(bool failed) noexcept = 0;
};

/// A blocking call or a Handle in progress: counts the parts that are not locally complete. These
/// point to it and to the caller's buffer, so it does not go before they are.
struct Operation {
  std::atomic<int> pending{0};
  std::atomic<bool> failed{false};    // the segment is gone
  bool nonblocking = false;           // the caller goes on meanwhile
  bool together = false;              // there are several parts: small ones may share a message
  std::atomic<bool> waited{false};    // nothing is left to wait for, or to tell
  Watcher* watcher = nullptr;         // set before the first part begins, or never
  std::shared_ptr<const void> keeps;  // memory that the parts write to, till then

  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation();
  /// Waits for all parts; Error(state) when the array was destroyed meanwhile.
  void wait();

  void begin_part() noexcept {
    ++pending;
    if (watcher != nullptr) watcher->begin_part();
  }
  /// Whoever waits may free the operation as soon as it is counted down.
  void end_part() noexcept {
    Watcher* const told = watcher;
    const bool lost = told != nullptr && failed;
    --pending;
    if (told != nullptr) told->end_part(lost);
  }
};

/// The locks and tables in the reserved part of the node's region.
inline Stripes stripes(NodeMemory& node) noexcept {
  return Stripes(node.reserved(), node.memory().base());
}
inline Registry registry(NodeMemory& node) noexcept {
  return Registry(node.reserved() + Stripes::bytes);
}
/// Before the first hardware atomic on a segment: makes accumulates to it add atomically.
void begin_atomics(SegmentRecord& record, const Stripes& stripes) noexcept;
/// The processor's own atomic addition or exchange; gives the old value.
template <class T>
T fetch_element(Action action, T* element, T operand) noexcept {
  const std::atomic_ref<T> target(*element);
  return action == Action::swap ? target.exchange(operand, std::memory_order_acq_rel)
                                : target.fetch_add(operand, std::memory_order_acq_rel);
}
std::int64_t fetch_in_memory(Action action, ElementType type, std::byte* element,
                             std::int64_t operand) noexcept;

/// Scatter or scatter-accumulate into this node's memory.
void scatter_in_memory(const Stripes& stripes, Action action, const Addition& addition,
                       std::byte* base, std::span<const std::int64_t> offsets,
                       const std::byte* values);

/// Where a piece of an array lies: member `owner` of the segment's group, strides in bytes.
struct Place {
  Segment& segment;
  std::int32_t owner;
  std::int64_t offset;
  const Index& strides;
};

/// The caller's side of a piece: strides in bytes. A get writes through `data`.
struct Side {
  std::byte* data;
  const Index& strides;
};

class Transport final : public Progress {
 public:
  explicit Transport(WorldState& world);
  ~Transport() override;

  bool poll() noexcept override;
  bool needs_looks() const noexcept override;
  void fence(int node) override;
  void fence_all() override;
  void observe() noexcept override;
  std::string describe() const override;
  /// Whether other nodes' requests are served only while this rank is inside Atoll.
  bool serves_inside_calls() const noexcept { return server_ != nullptr && !threads_; }
  /// Serves one in a few times: for calls that would not otherwise, of a rank that may repeat them
  /// until another node's write has come.
  void serve_now_and_then();

  /// Get, put or accumulate on another node. `operation` counts until locally complete.
  void transfer(Action action, const Place& place, const Side& side, const Index& shape,
                ElementType type, const void* alpha, Operation& operation);
  /// Sends what was held back of operations with several small parts.
  void send_batches();
  /// Fetch-add or swap on another node.
  std::int64_t fetch(Action action, const Place& place, ElementType type, std::int64_t operand);
  /// Gather, scatter or scatter-accumulate: elements at byte `offsets` of the place's block. The
  /// values of a gather arrive in `values`, packed.
  void scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                 std::byte* values, ElementType type, const void* alpha, Operation& operation);
  /// Updates runs of the place's block; `old` gets the values before, packed, unless null. Ordered
  /// with other operations of this rank on the same bytes, also with accumulates.
  void update(const Place& place, const UpdateKind& kind, std::span<const UpdateRun> runs,
              const std::byte* operands, std::byte* old, Operation& operation);

 private:
  void set_up(WorldState& world);
  void take_down();
  void choose_rma(WorldState& world);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::unique_ptr<RmaPath> rma_;  // where puts and gets go that way
  std::unique_ptr<Clients> clients_;
  std::unique_ptr<Server> server_;  // on leaders, where they are the agents
  bool threads_ = false;            // MPI allows threads of ours
  std::atomic<unsigned> calls_unserved_{0};
  ProgressMode mode_ = ProgressMode::none;
  std::vector<int> progress_ranks_;              // of my node; on its leader
  std::atomic<std::uint32_t> polls_by_rank_{0};  // tells the agent that the rank serves itself
  std::unique_ptr<Helper> agent_, mover_;
};

/// The running world's transport; null on a single node.
inline Transport* transport(WorldState& world) noexcept {
  return static_cast<Transport*>(world.progress.get());
}

}  // namespace lagoon::atoll::detail
