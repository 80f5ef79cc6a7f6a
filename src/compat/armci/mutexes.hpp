// ARMCI's mutexes: every process has some. Each is a ticket lock, so that whoever asks first gets
// it first.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "atoll/memory.hpp"

namespace lagoon::atoll::armci {

class Mutexes {
 public:
  /// Collective: `count` of them on this process.
  Mutexes(const Group& world, int count);
  /// Collective.
  void destroy() { tickets_.destroy(); }
  /// Error(state) for one that this process holds.
  void lock(int mutex, int process);
  /// What I did before is complete at its targets. Error(state) for one that I do not hold.
  void unlock(int mutex, int process);

 private:
  void check(int mutex, int process) const;
  std::int64_t served(std::int64_t offset, int process);
  Memory tickets_;  // of each mutex the next ticket, then the one that is served
  std::set<std::pair<int, int>> held_;  // process, mutex
};

}  // namespace lagoon::atoll::armci
