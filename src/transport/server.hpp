// Server: the agent's side of the message path, on the leader of every node or on progress ranks.
//
// Requests are received into a ring of buffers and executed in order of arrival, which keeps each
// origin's order. Small ones are done at once; large ones become streams that move on chunk by
// chunk between them, so that nobody waits behind a large transfer. The agent thread and the
// leader's own waiting loops both call `poll`; whoever holds the lock serves.
//
// A request is executed once or not at all: what it takes is had before it begins, and one for
// which there is none stays at the ring's head until an earlier one has given back its own. Of each
// kind some are there from the start, so that this ends.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "transport/outbox.hpp"
#include "transport/stream.hpp"
#include "transport/transport.hpp"
#include "world/doorbell.hpp"

namespace lagoon::atoll::detail {

class Server {
 public:
  Server(NodeMemory& memory, mpi::Comm communicator);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// No request may be under way.
  ~Server();

  /// Does what can be done now; true when something moved. Returns false at once when another
  /// thread is serving.
  bool poll() noexcept;
  /// `poll` by an agent that sleeps on its doorbell, if there is one.
  bool poll_for(Doorbell* doorbell) noexcept;
  /// Whether the node's leader said that the world has ended.
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  /// Orders what the caller and the agent do before and after.
  void observe() { const std::lock_guard lock(mutex_); }

 private:
  struct Receive {
    mpi::Request request = mpi::request_null;
    std::vector<std::byte> bytes;
    int origin = -1;  // of a request that has come and is not executed; else -1
  };
  struct Target {
    std::byte* base = nullptr;
    SegmentRecord* record = nullptr;
  };
  struct Transfer {
    RequestHeader header;
    int origin = 0;
    SegmentRecord* record = nullptr;
    Stream stream;
    bool finished = false;  // and answered
  };

  bool poll_locked();
  bool arrived(Receive& receive);
  void post(Receive& receive);
  /// Whether there is what it takes to execute the request.
  bool prepared(const RequestHeader& header);
  bool execute(int origin, const std::byte* message);
  /// Null where the segment is gone, or does not reach so far.
  Target resolve(const RequestHeader& header, const std::byte* data) const;
  std::int64_t read(const RequestHeader& header, const std::byte* data, std::byte* into);
  void write(const RequestHeader& header, const std::byte* data, int origin);
  std::int64_t update(const RequestHeader& header, const std::byte* data, std::byte* base,
                      std::byte* old);
  void execute_batch(const RequestHeader& header, const std::byte* data, int origin);
  Outbox& outbox_for(const RequestHeader& header) noexcept;
  void answer(Outbox& box, int origin, int slot, std::int64_t bytes);
  void answer_status(int origin, int slot, Status status);
  Status status_of_writes(int origin);
  bool advance(Transfer& transfer);
  std::size_t chunks_under_way(int origin) const noexcept;

  NodeMemory& memory_;
  mpi::Comm communicator_;
  const Stripes stripes_;
  const Registry registry_;

  std::atomic<bool> stopped_{false};
  std::atomic<bool> under_way_{false};  // what MPI or a stream moves on only when somebody looks

  std::mutex mutex_;  // guards everything below
  std::array<Receive, 32> receives_;
  std::size_t head_ = 0;
  Outbox answers_;
  Outbox words_;  // answers of a few bytes, which need no such buffers, nor wait for those
  std::vector<Transfer> transfers_;
  Staging outgoing_, incoming_;
  std::vector<bool> lost_write_;  // by origin: a write without answer met a segment that is gone
};

}  // namespace lagoon::atoll::detail
