// WireCounter: bytes that all ranks send to other nodes, counted below the library by wrapping
// the face's sends (wire_counter.cpp). Not seen: agreement (meetings of a few words, which
// are all that goes over the library's own communicator, and MPI's collectives), MPI RMA, and what
// progress ranks send.
#pragma once

#include <cstdint>

namespace lagoon::atoll::test {

/// From here on all is counted; before MPI's start, or by its first caller.
void count_wires();

/// Calls of MPI_Isend on this process so far, on all threads.
std::int64_t messages_sent() noexcept;
/// Of MPI_Iallreduce and MPI_Ibcast, likewise.
std::int64_t collectives_of_mpi() noexcept;

class WireCounter {
 public:
  /// Collective over the world, like `sent`. Counts from here on.
  WireCounter();
  ~WireCounter();
  WireCounter(const WireCounter&) = delete;
  WireCounter& operator=(const WireCounter&) = delete;
  /// Bytes so far, over all ranks. Its own messages are not counted.
  std::int64_t sent() const;
};

}  // namespace lagoon::atoll::test
