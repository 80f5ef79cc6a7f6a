// Slot: an operation of this rank whose answer has not come, one of a fixed number.
#pragma once

#include <chrono>
#include <variant>
#include <vector>

#include "transport/rma_path.hpp"
#include "transport/stream.hpp"
#include "transport/transport.hpp"

namespace lagoon::atoll::detail {

// What an answer is for, beside the status that it may be or begin with:

/// A small get, or a number.
struct SmallAnswer {
  std::byte* user = nullptr;
  Runs runs;
};

struct BatchedGet {
  Operation* operation;
  std::byte* user;
  Runs runs;
};
using BatchedGets = std::vector<BatchedGet>;

/// By a stream of messages.
struct LargeTransfer {
  RequestHeader request;
  Stream stream;
  bool held = false;  // it has not been sent
};

struct RmaTransfer {
  RequestHeader request;
  std::byte* user = nullptr;
  std::int64_t remote = 0;         // the first element in the region of the owner's node
  RunPairs waiting;                // runs not yet begun
  std::vector<mpi::Request> rows;  // runs under way
};

struct Connection;

struct Slot {
  bool busy = false;
  std::uint64_t number = 0;  // of those taken by this rank, so far
  bool background = false;   // the caller goes on meanwhile
  Action action = Action::flush;
  Connection* to = nullptr;
  Operation* operation = nullptr;  // null once locally complete
  mpi::Request answer = mpi::request_null;
  std::int64_t expected = 0;    // bytes of the answer
  std::byte* buffer = nullptr;  // `inline_bytes` for an answer that must be unpacked, or a status
  std::int32_t messages = 0;    // of its connection's credit
  std::chrono::steady_clock::time_point sent;  // if that varies
  std::int32_t covers = 0;   // messages with small writes that the answer stands for
  std::int32_t flushes = 0;  // of its connection's
  std::variant<SmallAnswer, BatchedGets, LargeTransfer, RmaTransfer> work;

  /// What others must not overtake; null where the agent keeps the order.
  const RequestHeader* unordered() const noexcept {
    if (const auto* large = std::get_if<LargeTransfer>(&work)) return &large->request;
    if (const auto* by_rma = std::get_if<RmaTransfer>(&work)) return &by_rma->request;
    return nullptr;
  }
};

}  // namespace lagoon::atoll::detail
