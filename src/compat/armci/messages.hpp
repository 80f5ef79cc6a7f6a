// Messages between two processes, by number in the world. Whoever waits serves others meanwhile.
#pragma once

#include <cstddef>

#include "compat/armci/session.hpp"

namespace lagoon::atoll::armci {

/// What a message is for; those of programs are numbered from `of_program` on.
enum class Tag : int { notification = 0, tree = 1, of_program = 16 };

/// Error(value) for a tag below 0, or above what MPI can send.
Tag program_tag(int tag);

inline constexpr int from_anybody = -1;

struct Received {
  int from;
  int bytes;
};

/// Returns when the buffer may be used again.
void send(const Session& session, Tag tag, const void* data, std::size_t bytes, int to);
/// Error(value) for a message longer than `room`.
Received receive(const Session& session, Tag tag, void* data, std::size_t room, int from);

}  // namespace lagoon::atoll::armci
