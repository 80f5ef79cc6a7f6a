// GA_Create_mutexes: locks that processes take in the order in which they asked.
#pragma once

#include "atoll/array.hpp"

namespace lagoon::atoll::ga {

class Mutexes {
 public:
  /// Collective over the world. `count` > 0.
  Mutexes(const Group& world, int count);
  /// Collective.
  ~Mutexes();
  Mutexes(const Mutexes&) = delete;
  Mutexes& operator=(const Mutexes&) = delete;

  /// Waits until it is free. Error(value) for a number that is no mutex, Error(state) for one that
  /// this process holds.
  void lock(int mutex);
  /// Completes what this process wrote, then lets the next one in. Error(state) if it is not held.
  void unlock(int mutex);

 private:
  enum Column { ticket, serving, columns };
  void check(int mutex) const;
  Group world_;
  Array<std::int64_t> cells_;       // per mutex: the next ticket, and whose turn it is
  std::vector<std::int64_t> mine_;  // my ticket where I hold one, else -1
};

}  // namespace lagoon::atoll::ga
