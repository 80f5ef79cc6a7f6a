// Turn: where programs have threads that may call at once, windows are made and freed one after the
// other, in the same order on all ranks. In such a call all members meet several times, and let no
// other thread of theirs in meanwhile: two of them, on different communicators, may not begin in
// different order on different ranks, though the program may come so.
//
// Every node has a queue. When all members of a call have come, and other threads still may, the
// first of them waits in the queues of all their nodes, in the order of the nodes, so that no calls
// wait for each other in a ring. Then all begin. Calls whose members share a rank share its node.
#pragma once

#include <mpi.h>

#include <functional>
#include <set>
#include <span>

namespace lagoon::atoll::ghost {

/// Collective over the program's world: with its World, and before that ends.
void open_queues();
void close_queues() noexcept;

/// REQUIRES: the library's lock, also at its end.
class Turn {
 public:
  /// Collective over the members, in ranks of the program's world, of which the first one decides
  /// where this is `first`. `meet` waits for all of them and lets other threads in. Nothing happens
  /// where no threads call at once, and inside a turn (a function of an attribute that goes).
  Turn(std::span<const int> members, bool first, const std::function<void()>& meet);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

 private:
  void take(std::span<const int> members);

  bool begun_ = false;
  std::set<int> nodes_;  // whose queues wait for this one
};

/// All ranks of the program's communicator have come; other threads come in meanwhile.
void meet_on(MPI_Comm communicator);

}  // namespace lagoon::atoll::ghost
