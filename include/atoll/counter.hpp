// Counter: a shared integer for dynamic load balancing (GA's read-and-increment, NXTVAL).
#pragma once

#include <cstdint>

#include "atoll/array.hpp"

namespace lagoon::atoll {

class Counter {
 public:
  /// Collective over `group`. Starts at `first`. Lives in the memory of the group's rank 0.
  explicit Counter(const Group& group, std::int64_t first = 0);
  /// Takes the next value: every value is handed out once among all ranks. Not collective.
  std::int64_t next(std::int64_t increment = 1);
  /// The value that comes next, as of now.
  std::int64_t value() const;
  /// Collective: starts again at `first`.
  void reset(std::int64_t first = 0);

 private:
  Array<std::int64_t> cell_;
};

}  // namespace lagoon::atoll
