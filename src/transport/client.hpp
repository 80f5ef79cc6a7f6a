// Client: the origin's side of the message path, to some agents (clients.hpp).
//
// Small requests go out in one message. Everything with an answer holds one of a fixed number of
// slots. Of the small writes only some ask for an answer, a status that stands for all before it:
// the first of a series, so that a fence finds it on its way, and one in a few, which limits how
// many are under way; a flush asks for those that are left. Requests of one origin to one agent are
// executed in order, except streams; so before an operation goes out it waits for streams of this
// rank that touch the same elements (program order).
//
// Small operations that are nonblocking, or of which a call has several, are collected while others
// are under way to the same agent, and go out together (`HeldBatch`): when one message is full,
// when the rank next looks or sends, or when the mover looks. Large ones, streams, wait for their
// turn while as many are under way as may be: who begins a nonblocking operation never waits for an
// earlier one. Large puts and gets go by MPI RMA instead where that is asked for (rma_path.hpp).
//
// What moves operations on does not allocate (world/ending.hpp): slots, their answers and the
// places in lists are there from the start. Buffers for more at once come as there is memory; else
// what needs one waits for those that are there.
//
// Of ten thousand agents a rank talks to some, and has something under way to few: a connection is
// made when it is first used, and a fence looks at those that have had small writes since the last.
//
// Any threads of the rank issue; they and the mover (helper.hpp) move operations on. Whoever does
// holds the lock, and lets go of it while it waits: what was looked at before a wait may be other
// than it was. A fence waits for what was begun before it, not for what others begin meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "transport/connection.hpp"
#include "transport/outbox.hpp"
#include "transport/rma_path.hpp"
#include "transport/transport.hpp"
#include "world/brief_mutex.hpp"

namespace lagoon::atoll::detail {

class Client {
 public:
  /// To the agents first, first + step and so on. `batches`: small nonblocking operations may be
  /// held back, since somebody will look again. `rma` may be null.
  Client(WorldState& world, mpi::Comm communicator, RmaPath* rma, bool batches, std::size_t first,
         std::size_t step);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool poll() noexcept;
  /// Sends what is held back of small operations.
  void send_batches();
  /// `poll` by another thread than the rank's; false at once while the rank is inside.
  bool poll_aside() noexcept;
  /// Whether nonblocking operations are under way that move on only when somebody looks.
  bool needs_looks() const noexcept { return background_.load(std::memory_order_seq_cst) > 0; }
  /// Whether a write without a waiting operation has met a destroyed array, since last asked.
  bool fence(int node);
  /// Sends what asks for all writes, so that `fence_all` of several clients takes one round trip.
  void begin_fence();
  bool fence_all();
  /// Waits until no slot and no send buffer is in use; the world does not poll any more.
  void drain();
  /// Lets the progress rank end.
  void stop(int agent);

  void transfer(Action action, const Place& place, const Side& side, const Index& shape,
                ElementType type, const void* alpha, Operation& operation);
  std::int64_t fetch(Action action, const Place& place, ElementType type, std::int64_t operand);
  void scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                 std::byte* values, ElementType type, const void* alpha, Operation& operation);
  void update(const Place& place, const UpdateKind& kind, std::span<const UpdateRun> runs,
              const std::byte* operands, std::byte* old, Operation& operation);

 private:
  struct Unlocked {
    explicit Unlocked(BriefMutex& held) : mutex(held) { mutex.unlock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    ~Unlocked() { mutex.lock(); }
    BriefMutex& mutex;
  };
  /// A walk over busy_.
  struct Walk {
    explicit Walk(int& count) : walks(count) { ++walks; }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;
    ~Walk() { --walks; }
    int& walks;
  };
  // Slots of streams that wait for their turn: the others stay free for what is sent at once.
  static constexpr int most_held = slots / 2;

  Slot& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }
  const Slot& slot(int index) const { return slots_[static_cast<std::size_t>(index)]; }
  /// Of an agent, in connections_.
  std::size_t place_of(std::size_t agent) const noexcept { return (agent - first_) / step_; }
  Connection made_connection(std::size_t agent) const;
  Connection& connection_of(const Place& place);
  void mark_busy(Connection& to) noexcept;
  /// Waits without the lock until `ready()`, which is asked with it and stays true, since the lock
  /// is held from then on. REQUIRES: the lock is held.
  template <class Ready>
  void await(Ready&& ready) {
    while (!ready()) {
      const Unlocked unlocked(mutex_);
      world_.wait_until([&] {
        const std::lock_guard lock(mutex_);
        return static_cast<bool>(ready());
      });
    }
  }
  void wait_for_streams(const RequestHeader& header);
  void complete_rma_puts(const Connection& to);

  // Slots and messages (client.cpp). `try_` never waits.
  int free_slot() const noexcept;
  Slot& occupy_slot(int index, Action action, Connection& to);
  enum class Kind : std::uint8_t { small, stream };
  int take_slot(Action action, Connection& to, std::int32_t messages, Kind kind);
  int take_slot_to_hold(Action action, Connection& to);
  static void charge(Slot& slot, std::int32_t messages);
  void attach(Slot& slot, Operation& operation);
  Slot& expect_data(RequestHeader& header, Connection& to, std::byte* into, std::int64_t bytes,
                    Operation& operation);
  bool try_start_held(Connection& to);  // true when none is held any more
  void start_stream(Slot& slot, LargeTransfer& large, int index);
  std::byte* begin_request(const RequestHeader& header);
  void send_request(Connection& to, const std::byte* end);
  void expect_answer(Slot& slot, int index, std::byte* into, std::int64_t bytes);
  bool has_room(Connection& to, std::int32_t messages, Kind kind);
  int expect_status(int index, Connection& to);
  std::byte* begin_small_write(Connection& to, RequestHeader& header);
  bool try_flush(Connection& to);
  void ask(RequestHeader& header, Connection& to, std::int64_t& answer, Operation& operation);
  void complete_writes(Connection& to);
  template <class Concerns>
  void complete_slots(Concerns&& concerns);
  void complete(int node);

  // Updates (client_update.cpp).
  void update_portion(const Place& place, const UpdateKind& kind, std::span<const UpdateRun> runs,
                      std::int64_t elements, const std::byte* operands, std::byte* old,
                      Operation& operation);

  // Batches (client_batch.cpp).
  bool try_batch(Connection& to, const RequestHeader& header, const Runs& user, std::byte* data,
                 Operation& operation);
  bool try_send_batch(Connection& to);
  void send_batch(Connection& to);
  static void finish_batch(const BatchedGets& parts, const std::byte* answer);
  void want_attention(Connection& to);
  bool attend();

  // The path of MPI RMA (client_rma.cpp).
  bool transfer_by_rma(const RequestHeader& header, const Place& place, const Side& side,
                       const Index& shape, Operation& operation);
  std::int64_t locate(const Place& place);
  bool advance_rma(Slot& slot, RmaTransfer& work, int index);

  // Progress (client_progress.cpp).
  bool poll_locked();
  void ring(const Connection& to) const noexcept;
  void ring_again();
  bool advance(int index);
  bool advance_stream(Slot& slot, LargeTransfer& large, int index);
  static bool answered(Slot& slot, bool& short_answer);
  void finish(Slot& slot);
  void fail(Slot& slot);
  static void note_answer(const Slot& slot);
  void release(int index);

  WorldState& world_;
  mpi::Comm communicator_;
  RmaPath* rma_;
  const bool batches_;
  const std::size_t first_, step_;

  // Whether nothing is under way or held back: a poll need not look, and lock.
  std::atomic<bool> idle_{true};
  std::atomic<int> background_{0};  // batches held back, and slots of nonblocking operations
  BriefMutex mutex_;                // guards everything below
  std::array<Slot, slots> slots_;
  std::unique_ptr<std::byte[]> answers_;  // of all slots
  std::uint64_t taken_ = 0;               // slots, so far
  std::vector<int> active_;
  int next_slot_ = 0, held_ = 0;
  Outbox outbox_;
  Ringer ringer_;
  std::vector<std::unique_ptr<Connection>> connections_;  // null: not used yet
  std::vector<Connection*> attention_;  // with a batch or streams held back, with place for all
  std::vector<Connection*> busy_;       // with small writes since a fence, with place for all
  int walks_ = 0;                       // over busy_, which lose the lock: nothing leaves it
  std::size_t batch_buffers_ = 0;       // of connections
  Staging outgoing_, incoming_;
  bool lost_write_ = false;  // a write without a waiting operation met a destroyed array
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<std::int32_t, std::int64_t>>
      locations_;  // of owners' blocks in their nodes' regions, by segment
};

}  // namespace lagoon::atoll::detail
