// The wire format of requests to an agent, and its limits.
//
// A request is one message: this header, the loops of the target section, then data that fit
// inline. Larger data follow as a stream of chunks under the request's own tag. Answers (data of a
// get, an old value, a status) go back under the tag of the slot that the origin keeps for the
// operation; an answer shorter than expected means that the segment is gone. Small operations
// that need not go out at once travel many in one message: a batch, whose data are requests, each
// padded to 8 bytes. A status says that this request and all small writes before it are done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "atoll/types.hpp"
#include "transport/footprint.hpp"
#include "transport/update.hpp"

namespace lagoon::atoll::detail {

enum class Action : std::uint8_t {
  get,         // answer: the data (one message, or a stream of chunks)
  put,         // inline data: a status if one is wanted; stream: status when all is written
  accumulate,  // likewise
  fetch_add,   // answer: the old value
  swap,
  gather,   // inline: offsets; answer: the values
  scatter,  // inline: offsets, then values; a status if one is wanted
  scatter_accumulate,
  update,        // inline: runs, then operands; a status if one is wanted
  fetch_update,  // the same; answer: the old values
  flush,         // answer: status
  batch,   // inline: small gets, puts and accumulates; answer: status, and a status and data a get
  locate,  // answer: where the owner's block lies in the node's region
  stop,    // from the node's leader to its progress ranks: the world has ended
};

struct RequestHeader {
  Action action = Action::flush;
  ElementType type = ElementType::float64;
  bool streamed = false;    // data come or go in chunks
  bool scaled = false;      // alpha is not one
  std::int32_t slot = -1;   // where the answer goes; -1: none wanted
  std::int32_t owner = 0;   // member of the segment's group
  std::int32_t record = 0;  // bytes of a request in a batch, with header and padding
  SegmentNumber segment;
  std::int64_t offset = 0;  // of the first element, in bytes, in the owner's block
  std::int64_t chunk = 0;   // bytes a chunk of a stream
  // Operand of fetch_add and swap; count of scattered or batched elements, or of an update's runs.
  std::int64_t value = 0;
  std::array<std::byte, 16> alpha{};  // or the kind of an update
  Runs runs;

  void set_kind(const UpdateKind& kind) noexcept {
    static_assert(sizeof(UpdateKind) <= sizeof(alpha));
    std::memcpy(alpha.data(), &kind, sizeof kind);
  }
  UpdateKind kind() const noexcept {
    UpdateKind kind;
    std::memcpy(&kind, alpha.data(), sizeof kind);
    return kind;
  }
  Footprint footprint() const noexcept { return {segment, owner, offset, runs}; }
  /// Bytes on the wire: loops that are not used do not travel.
  std::int64_t bytes() const noexcept {
    return static_cast<std::int64_t>(sizeof(RequestHeader) - sizeof(Runs::level)) +
           runs.levels * static_cast<std::int64_t>(sizeof(Runs::Level));
  }
  /// Copies those bytes; returns the place behind them.
  std::byte* write(std::byte* message) const noexcept {
    std::memcpy(message, this, static_cast<std::size_t>(bytes()));
    return message + bytes();
  }
  const std::byte* read(const std::byte* message) noexcept {
    constexpr std::size_t fixed = sizeof(RequestHeader) - sizeof(Runs::level);
    std::memcpy(static_cast<void*>(this), message, fixed);
    std::memcpy(runs.level.data(), message + fixed,
                static_cast<std::size_t>(runs.levels) * sizeof(Runs::Level));
    return message + bytes();
  }
};
static_assert(sizeof(RequestHeader) % 8 == 0, "inline offsets are read as 64-bit integers");

enum class Status : std::uint64_t { done = 0, segment_gone = 1 };

/// Inline data of one request, and the largest answer that is one message: a tile of 64 x 64
/// doubles, with the list of its runs. To an agent that sleeps, putting one as a stream takes twice
/// as long (measured): it must look once more for the chunk behind the request.
inline constexpr std::int64_t inline_bytes = 40960;
inline constexpr std::int64_t request_bytes =
    inline_bytes + static_cast<std::int64_t>(sizeof(RequestHeader));
/// A batch is full; larger operations do not go into one.
inline constexpr std::int64_t full_batch_bytes = 16384, batched_bytes = 2048;
/// Chunks of a stream that is packed or applied through a staging buffer.
inline constexpr std::int64_t staged_chunk = std::int64_t{256} << 10;
/// Chunks of a stream between contiguous memories, moved without staging.
inline constexpr std::int64_t direct_chunk = std::int64_t{1} << 20;
/// Chunks of one stream under way at once, on either side.
inline constexpr std::size_t chunks_in_flight = 3;

constexpr std::int64_t padded(std::int64_t bytes) noexcept { return (bytes + 7) / 8 * 8; }

inline constexpr int request_tag = 0;
constexpr int answer_tag(int slot) noexcept { return 1 + 2 * slot; }
constexpr int data_tag(int slot) noexcept { return 2 + 2 * slot; }
/// Operations with an answer that one rank may have under way.
inline constexpr int slots = 128;

}  // namespace lagoon::atoll::detail
