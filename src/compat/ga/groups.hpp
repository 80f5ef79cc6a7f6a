// GA's groups of processes: numbers for Atoll's groups. The world is -1, the mirrored one 0; those
// that programs create are numbered from 2 (trap 4 of GA's rules), the lowest free one first.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "atoll/group.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::ga {

inline constexpr int world_handle = -1;
inline constexpr int mirror_handle = 0;

class Groups {
 public:
  explicit Groups(const Group& world);

  /// Error(value) for a number that is no group, Error(state) for one that I am not in.
  const Group& at(int handle) const;
  bool member(int handle) const;
  /// The world's numbers of its processes, ascending; also of a group that I am not in.
  const std::vector<int>& world_ranks(int handle) const;
  /// Error(value) for a process that is none.
  int world_rank(int handle, int process) const;
  /// My number in it; -1 where I am not in it.
  int rank(int handle) const;

  int default_handle() const noexcept { return default_; }
  const Group& default_group() const { return at(default_); }
  void set_default(int handle);

  /// Collective over `processes`, numbers of the default group in any order; others may call, or
  /// not, and may make groups of their own at the same time. Error(value) for a process that is
  /// none or comes twice.
  int create(std::span<const int> processes);
  /// Of this process alone. Not collective.
  int self();
  /// Collective over the group `handle`. `colour` >= 0.
  int split(int handle, int colour);
  /// Collective over the group `handle`: at most `parts` groups, the last one the smallest; mine.
  int split_evenly(int handle, int parts);
  /// Whether there was such a group; those that GA made itself stay.
  bool destroy(int handle) noexcept;

 private:
  struct Entry {
    Group group;  // empty where I am no member
    std::vector<int> world_ranks;
  };
  const Entry& entry(int handle) const;
  static Entry group_of(const Group& parent, const std::vector<int>& processes);
  int keep(Entry entry);
  Entry mirror() const;
  std::map<int, Entry> entries_;
  int default_ = world_handle;
};

/// The group's communicator for the program, which expects MPI to end the run on an error.
inline mpi::Comm lend_communicator(const Group& group) {
  mpi::comm_set_errhandler(group.mpi_communicator(), mpi::errors_are_fatal);
  return group.mpi_communicator();
}

}  // namespace lagoon::atoll::ga
