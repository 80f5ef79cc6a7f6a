// Connection: what a rank has under way to one agent, and how much that may be.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "transport/slot.hpp"

namespace lagoon::atoll::detail {

/// Small operations that have not been sent.
struct Batch {
  std::vector<std::byte> bytes;   // a message, its header left out
  std::int64_t length = 0;        // bytes of it in use
  std::int64_t answer_bytes = 0;  // of the gets
  std::int64_t count = 0;
  bool writes = false;
  BatchedGets parts;
};

struct Connection {
  int node = 0;
  int rank = 0;                 // of the agent, in the communicator
  std::uint32_t window = 0;     // messages with small writes under way, at most
  std::uint32_t unflushed = 0;  // of these, not known to be complete
  std::uint32_t uncovered = 0;  // of these, for which no answer under way stands
  std::int32_t operations = 0;  // slots in use, but for flushes
  std::int32_t streams = 0;     // of these
  bool listed = false;          // in Client::attention_
  std::deque<int> held;         // slots of streams that wait for their turn
  Batch batch;

  // Each operation with an answer (streams among them) and each message with small writes is a
  // message that may come before its receive is posted, a stream up to three. libfabric's TCP
  // provider keeps 64 such messages of a connection and then stops reading from it, for good if
  // what would free one comes behind: the sum stays below, with a flush, and with the chunks of the
  // streams that the peer has under way to us.
  static constexpr std::int32_t most_operations = 16;
  static constexpr std::int32_t most_streams = 4;
  static constexpr int most_writes = 16;
  static_assert(most_operations + 1 + most_writes +
                    2 * most_streams * static_cast<int>(chunks_in_flight) <
                64);

  bool idle() const noexcept { return operations == 0 && unflushed == 0; }
  bool may_operate() const noexcept { return operations < most_operations; }
  bool may_stream() const noexcept { return streams < most_streams; }
  /// Whether the next message with small writes should ask for a status.
  bool status_due() const noexcept { return unflushed == 0 || uncovered + 1 >= window / 2; }
  void count_write() noexcept {
    ++unflushed;
    ++uncovered;
  }
};

}  // namespace lagoon::atoll::detail
