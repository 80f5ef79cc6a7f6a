// Plain messages of MPI between the two ranks: the limit of anything that goes between nodes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace bench {

/// Both ranks call each function with the same arguments; `buffer` holds `bytes`.
class PingPong {
 public:
  PingPong(MPI_Comm communicator, std::int64_t largest);
  /// There and back, `rounds` times.
  void round_trips(std::int64_t bytes, std::int64_t rounds);
  /// `count` messages to the rank `to`, several at a time on their way, between a go-ahead from
  /// there and a reply at the end.
  void stream(int to, std::int64_t bytes, std::int64_t count);

 private:
  MPI_Comm communicator_;
  int rank_ = 0;
  std::vector<char> buffer_;
};

}  // namespace bench
