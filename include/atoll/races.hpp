// Races: accesses of two ranks to the same elements that nothing orders (docs/race.md). Found with
// ATOLL_CHECK=race, whenever all ranks of the World synchronise.
#pragma once

#include <string>
#include <vector>

#include "atoll/index.hpp"

namespace lagoon::atoll {

struct Race {
  struct Side {
    std::string operation;  ///< "put", "read by pointer", ...
    int rank = 0;           ///< of the World
    std::string place;      ///< "job.py:12", "step at job.cpp:7"
  };
  std::string array;  ///< "array 'density'"
  Patch patch;        ///< elements that both touch
  Side first, second;
  bool in_buffer = false;  ///< the caller's buffer of a nonblocking operation is used before `wait`

  /// One line for people.
  std::string to_string() const;
};

/// What has been found since the World's start, alike on all ranks at their last sync: one race for
/// each two lines of the program. Empty without ATOLL_CHECK=race. Not collective.
std::vector<Race> races();

}  // namespace lagoon::atoll
