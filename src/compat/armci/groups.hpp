// ARMCI's groups of processes: numbers for Atoll's groups. The world is 0.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "atoll/group.hpp"

namespace lagoon::atoll::armci {

class Groups {
 public:
  static constexpr int world = 0;

  explicit Groups(const Group& everybody);

  /// Error(value) for a number that is no group, Error(state) for one that I am not in.
  const Group& at(int number) const;
  /// The world's numbers of its processes, also of a group that I am not in.
  const std::vector<int>& world_ranks(int number) const { return entry(number).world_ranks; }
  /// My number in it, or -1.
  int rank(int number) const;

  /// Collective over the group `parent`, whose numbers `processes` are; they keep their order.
  /// Those left out get a number that they can ask about.
  int create(std::span<const int> processes, int parent);
  /// The world stays. A default group that goes leaves the world in its place.
  void free(int number);

  int default_number() const noexcept { return default_; }
  void set_default(int number);

 private:
  struct Entry {
    Group group;  // empty where I am no member
    std::vector<int> world_ranks;
  };
  const Entry& entry(int number) const;
  std::map<int, Entry> entries_;
  int next_ = world + 1;
  int default_ = world;
};

}  // namespace lagoon::atoll::armci
