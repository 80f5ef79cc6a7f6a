#include "compat/armci/circle.hpp"

#include <algorithm>
#include <string>

#include "compat/armci/arguments.hpp"
#include "compat/armci/messages.hpp"
#include "ga/message.h"

namespace lagoon::atoll::armci {

namespace {

bool takes_part(const Group& group, int rank, int scope) {
  if (scope == SCOPE_NODE) return group.same_node(rank);
  if (scope == SCOPE_ALL) return true;
  for (int before = 0; before < rank; ++before)
    if (group.node_of(before) == group.node_of(rank)) return false;
  return true;
}

}  // namespace

Circle::Circle(const Session& session, const Group& group, int scope)
    : session_(session), group_(group), whole_(scope == SCOPE_ALL) {
  if (scope != SCOPE_ALL && scope != SCOPE_NODE && scope != SCOPE_MASTERS)
    refuse("the scope " + std::to_string(scope) +
           " is none of SCOPE_ALL, SCOPE_NODE and SCOPE_MASTERS");
  for (int rank = 0; rank < group.size(); ++rank) {
    if (!takes_part(group, rank, scope)) continue;
    if (rank == group.rank()) me_ = size();
    members_.push_back(group.world_rank(rank));
  }
}

Circle::Circle(const Session& session, const Group& group, int first, int count)
    : session_(session), group_(group) {
  (void)checked("grp_master", first, group.size());
  if (count < 1 || count > group.size() - first)
    refuse("grp_clus_nproc is " + std::to_string(count) + ", not 1 to " +
           std::to_string(group.size() - first));
  for (int rank = first; rank < first + count; ++rank) {
    if (rank == group.rank()) me_ = size();
    members_.push_back(group.world_rank(rank));
  }
}

int Circle::from_root(int root) const { return (me_ - root + size()) % size(); }

void Circle::broadcast(void* data, std::size_t bytes, int root) const {
  (void)checked("root", root, group_.size());
  if (whole_) return group_.broadcast_bytes({static_cast<std::byte*>(data), bytes}, root);
  const auto found = std::find(members_.begin(), members_.end(), group_.world_rank(root));
  if (!includes_me()) return;
  if (found == members_.end())
    refuse("root is " + std::to_string(root) + ", which is not in the scope");
  spread(data, bytes, static_cast<int>(found - members_.begin()));
}

void Circle::spread(void* data, std::size_t bytes, int root) const {
  if (!includes_me()) return;
  const int mine = from_root(root);
  const auto at = [&](int distance) { return process((distance + root) % size()); };
  int mask = 1;
  for (; mask < size(); mask *= 2) {
    if ((mine & mask) == 0) continue;
    (void)receive(session_, Tag::tree, data, bytes, at(mine - mask));
    break;
  }
  for (mask /= 2; mask > 0; mask /= 2)
    if (mine + mask < size()) send(session_, Tag::tree, data, bytes, at(mine + mask));
}

void Circle::collect(std::byte* data, std::size_t bytes,
                     const std::function<void(const std::byte*, std::byte*)>& combine) const {
  if (!includes_me()) return;
  std::vector<std::byte> theirs(bytes);
  for (int mask = 1; mask < size(); mask *= 2) {
    if ((me_ & mask) != 0) return send(session_, Tag::tree, data, bytes, process(me_ - mask));
    if (me_ + mask >= size()) continue;
    (void)receive(session_, Tag::tree, theirs.data(), bytes, process(me_ + mask));
    combine(theirs.data(), data);
  }
}

}  // namespace lagoon::atoll::armci
