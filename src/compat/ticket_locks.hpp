// Locks of GA and ARMCI: every process has some. Each is a ticket lock, so that whoever asks first
// gets it first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "atoll/memory.hpp"

namespace lagoon::atoll::compat {

class TicketLocks {
 public:
  /// Collective: `count` of them on this process. Error(value) on all where a count is below 0.
  TicketLocks(const Group& group, std::int64_t count);
  /// Collective.
  void destroy() { tickets_.destroy(); }
  std::int64_t count(int process) const;
  /// Waits until it is free. Error(value) for one that is none, Error(state) for one that this
  /// process holds.
  void lock(std::int64_t lock, int process);
  /// What I did before is complete at its targets. Error(state) for one that I do not hold.
  void unlock(std::int64_t lock, int process);

 private:
  void check(std::int64_t lock, int process) const;
  std::int64_t served(std::int64_t offset, int process);
  Memory tickets_;  // of each lock the next ticket, then the one that is served
  std::vector<std::pair<int, std::int64_t>> held_;  // process, lock
};

}  // namespace lagoon::atoll::compat
