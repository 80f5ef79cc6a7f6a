// The wire format of requests to an agent, and its limits.
//
// A request is one message: this header, the loops of the target section, then data that fit
// inline. Larger data follow as a stream of chunks under the request's own tag. Answers (data of a
// get, an old value, a status) go back under the tag of the slot that the origin keeps for the
// operation; an answer shorter than expected means that the segment is gone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atoll/types.hpp"
#include "transport/segment.hpp"
#include "transport/strided.hpp"

namespace lagoon::atoll::detail {

enum class Action : std::uint8_t {
  get,         // answer: the data (one message, or a stream of chunks)
  put,         // inline data: no answer; stream: status when all is written
  accumulate,  // likewise
  fetch_add,   // answer: the old value
  swap,
  gather,   // inline: offsets; answer: the values
  scatter,  // inline: offsets, then values
  scatter_accumulate,
  flush,  // answer: status, when all earlier requests of this origin are done
};

struct RequestHeader {
  Action action = Action::flush;
  ElementType type = ElementType::float64;
  bool streamed = false;   // data come or go in chunks
  bool scaled = false;     // alpha is not one
  std::int32_t slot = -1;  // where the answer goes; -1: none wanted
  std::int32_t owner = 0;  // member of the segment's group
  std::int32_t unused = 0;
  SegmentNumber segment;
  std::int64_t offset = 0;  // of the first element, in bytes, in the owner's block
  std::int64_t chunk = 0;   // bytes a chunk of a stream
  std::int64_t value = 0;   // operand of fetch_add and swap; element count of scattered actions
  std::array<std::byte, 16> alpha{};
  Runs runs;
};

enum class Status : std::uint64_t { done = 0, segment_gone = 1 };

/// Inline data of one request, and the largest answer that is one message.
inline constexpr std::int64_t inline_bytes = 16384;
inline constexpr std::int64_t request_bytes =
    inline_bytes + static_cast<std::int64_t>(sizeof(RequestHeader));
/// Chunks of a stream that is packed or applied through a staging buffer.
inline constexpr std::int64_t staged_chunk = std::int64_t{256} << 10;
/// Chunks of a stream between contiguous memories, moved without staging.
inline constexpr std::int64_t direct_chunk = std::int64_t{1} << 20;
/// Chunks of one stream under way at once, on either side.
inline constexpr std::size_t chunks_in_flight = 3;

inline constexpr int request_tag = 0;
constexpr int answer_tag(int slot) noexcept { return 1 + 2 * slot; }
constexpr int data_tag(int slot) noexcept { return 2 + 2 * slot; }
/// Operations with an answer that one rank may have under way.
inline constexpr int slots = 128;

}  // namespace lagoon::atoll::detail
