// Those who take part in a collective call of a scope: all of a group, those of my node, or the
// first of each node. Nobody else needs to come, so what MPI cannot do among them goes by messages
// along a binomial tree.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "compat/armci/session.hpp"

namespace lagoon::atoll::armci {

class Circle {
 public:
  /// Error(value) for a scope that is none.
  Circle(const Session& session, const Group& group, int scope);
  /// Of consecutive members of the group.
  Circle(const Session& session, const Group& group, int first, int count);

  /// Whether I take part; else every call does nothing.
  bool includes_me() const noexcept { return me_ >= 0; }
  int size() const noexcept { return static_cast<int>(members_.size()); }
  int me() const noexcept { return me_; }
  /// The world's number of a member.
  int process(int member) const { return members_.at(static_cast<std::size_t>(member)); }
  /// The group, if all of it takes part; else null.
  const Group* whole() const noexcept { return whole_ ? &group_ : nullptr; }

  /// From member `root` of the group to all here; Error(value) for one who is not here.
  void broadcast(void* data, std::size_t bytes, int root) const;
  /// Combines everybody's data of `bytes` bytes into member 0's: combine(theirs, mine), where
  /// theirs come from members behind mine. The others' data are used up.
  void collect(std::byte* data, std::size_t bytes,
               const std::function<void(const std::byte*, std::byte*)>& combine) const;
  /// Of member 0's data.
  void distribute(void* data, std::size_t bytes) const { spread(data, bytes, 0); }

 private:
  int from_root(int root) const;
  void spread(void* data, std::size_t bytes, int root) const;
  const Session& session_;
  const Group group_;
  bool whole_ = false;
  std::vector<int> members_;  // the world's numbers, in order of the group
  int me_ = -1;
};

}  // namespace lagoon::atoll::armci
