// Client: the origin's side of the message path. Used by the rank's own thread only.
//
// Small requests go out in one message from a ring of send buffers. Everything with an answer holds
// one of a fixed number of slots. Small writes have no answer; a flush request, answered when the
// agent has done everything before it, tells that they are complete, and limits how many are under
// way. Requests of one origin are executed in order, except streams; so before an operation goes
// out it waits for streams of this rank that touch the same elements (program order).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/staging.hpp"
#include "transport/transport.hpp"

namespace lagoon::atoll::detail {

class Client {
 public:
  Client(WorldState& world, MPI_Comm communicator);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool poll();
  bool streaming() const noexcept { return streams_ > 0; }
  void fence(int node);
  void fence_all();
  /// Waits until no slot and no send buffer is in use.
  void drain();

  void transfer(Action action, const Place& place, const Side& side, const Index& shape,
                ElementType type, const void* alpha, Operation& operation);
  std::int64_t fetch(Action action, const Place& place, ElementType type, std::int64_t operand);
  void scattered(Action action, const Place& place, std::span<const std::int64_t> offsets,
                 std::byte* values, ElementType type, const void* alpha, Operation& operation);

 private:
  struct Slot {
    bool busy = false;
    Action action = Action::flush;
    bool streamed = false;
    int node = 0;
    SegmentNumber segment;
    std::int32_t owner = 0;
    std::int64_t lowest = 0, highest = 0;  // bytes of the owner's block that a stream touches
    Operation* operation = nullptr;        // null once locally complete
    MPI_Request answer = MPI_REQUEST_NULL;
    std::int64_t expected = 0;  // bytes of the answer
    std::byte* user = nullptr;
    Runs runs;                          // of the user's side
    std::vector<std::byte> buffer;      // an answer that must be unpacked, or a status
    std::int64_t total = 0, chunk = 0;  // of a stream
    ChunkQueue queue;
    std::uint32_t covers = 0;  // small writes that a flush stands for
  };
  struct SendBuffer {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
  };
  struct NodeState {
    std::uint32_t unflushed = 0;  // small writes not known to be complete
    std::int32_t flush = -1;      // slot of the flush under way
    std::int32_t operations = 0;  // slots in use
    std::int32_t streams = 0;     // of these
  };

  int leader_of(int node) const {
    return world_.topology.leader_of[static_cast<std::size_t>(node)];
  }
  int node_of(const Place& place) const { return place.segment.group().world_node_of(place.owner); }
  void wait_for_streams(const Place& place, std::int64_t lowest, std::int64_t highest, bool writes,
                        bool adds);
  int take_slot(Action action, int node);
  std::byte* begin_request(RequestHeader*& header);
  void send_request(int node, std::int64_t inline_length);
  void expect_answer(Slot& slot, int index, std::byte* into, std::int64_t bytes);
  void count_small_write(int node);
  void start_flush(int node);
  bool advance(int index);
  bool advance_get_stream(Slot& slot, int index);
  bool advance_put_stream(Slot& slot, int index);
  bool answered(Slot& slot, bool& short_answer);
  void finish(Slot& slot);
  void fail(Slot& slot);
  void release(int index);

  WorldState& world_;
  MPI_Comm communicator_;
  std::uint32_t window_;  // small writes under way to one node, at most
  std::array<Slot, slots> slots_;
  std::vector<int> active_;
  int streams_ = 0;  // of the active slots
  int next_slot_ = 0;
  std::array<SendBuffer, 32> sends_;
  std::size_t next_send_ = 0;
  std::vector<NodeState> nodes_;
  Staging outgoing_{8};
  Staging incoming_{8};
  bool lost_write_ = false;  // a write without a waiting operation met a destroyed array
};

}  // namespace lagoon::atoll::detail
