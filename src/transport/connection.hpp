// Connection: what a rank has under way to one agent, and how much that may be.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/credit.hpp"
#include "transport/slot.hpp"
#include "world/unread.hpp"

namespace lagoon::atoll::detail {

/// Small operations that have not been sent.
struct HeldBatch {
  std::vector<std::byte> bytes;   // a message, its header left out
  std::int64_t length = 0;        // bytes of it in use
  std::int64_t answer_bytes = 0;  // of the gets
  std::int64_t count = 0;
  bool writes = false;
  BatchedGets parts;
};

/// When an agent is rung.
class Signals {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// A request goes out. True: ring.
  bool sent(Time now) noexcept {
    patience_ = waiting::ring_again;
    return passed(now, waiting::agent_awake);
  }
  /// It has not been answered. True: ring again.
  bool waited(Time now) noexcept {
    if (!passed(now, patience_)) return false;
    patience_ = std::min<WaitTime>(2 * patience_, waiting::longest_ring_again);
    return true;
  }
  /// The agent is awake.
  void heard(Time now) noexcept {
    last_ = now;
    patience_ = waiting::ring_again;
  }

 private:
  bool passed(Time now, WaitTime time) noexcept {
    if (now - last_ < time) return false;
    last_ = now;
    return true;
  }
  Time last_{};
  WaitTime patience_ = waiting::ring_again;
};

// What a rank has under way to an agent are messages that may come before their receives are
// posted: an operation with an answer is one, a message with small writes is one until an answer
// tells that it is done, a stream is one and its chunks. One credit bounds their sum (unread.hpp).
struct Connection {
  int node = 0;
  int rank = 0;                // of the agent, in the communicator
  Credit credit;               // messages under way, at most; flushes come on top
  std::int32_t answers = 0;    // messages of operations with an answer and of streams
  std::int32_t unflushed = 0;  // messages with small writes, not known to be complete
  std::int32_t uncovered = 0;  // of these, for which no answer under way stands
  std::int32_t flushes = 0;    // requests that only ask for such an answer
  std::uint64_t written = 0;   // messages with small writes, so far
  bool listed = false;         // in Client::attention_
  bool busy = false;           // in Client::busy_
  std::vector<int> held;       // slots of streams that wait for their turn, with place for all
  HeldBatch batch;
  std::size_t agent = 0;  // its number
  Signals signals;

  bool idle() const noexcept { return answers + unflushed == 0; }
  /// Whether a fence finds small writes here.
  bool writing() const noexcept { return unflushed > 0 || batch.count > 0; }
  bool room_for(std::int32_t messages) const noexcept {
    return answers + unflushed + messages <= credit.messages();
  }
  bool room_for_stream(std::int32_t messages) const noexcept {
    return room_for(credit.stream_room(messages));
  }
  /// Of the messages with small writes so far, those that are known to be complete: at least the
  /// first so many, since the agent keeps the order.
  std::uint64_t completed() const noexcept {
    return written - static_cast<std::uint64_t>(unflushed);
  }
  /// Whether the next message with small writes should ask for a status.
  bool status_due() const noexcept {
    constexpr std::int32_t often_enough = 8;
    return unflushed == 0 || uncovered + 1 >= std::min(often_enough, credit.messages() / 2);
  }
  void count_write() noexcept {
    ++unflushed;
    ++uncovered;
    ++written;
  }
};

}  // namespace lagoon::atoll::detail
