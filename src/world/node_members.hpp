// NodeMembers: the ranks of a group by their nodes.
//
// A lane is one member of every node, the i-th or, where a node has fewer, i modulo their number:
// the ranks of a lane exchange with each other, so that all lanes work side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace lagoon::atoll::detail {

class NodeMembers {
 public:
  /// Of each node, ascending; mine is one of them.
  NodeMembers(std::vector<std::vector<int>> members, int my_node)
      : members_(std::move(members)), my_node_(my_node) {
    for (const auto& on_node : members_)
      lanes_ = std::max(lanes_, static_cast<int>(on_node.size()));
  }
  int nodes() const noexcept { return static_cast<int>(members_.size()); }
  int my_node() const noexcept { return my_node_; }
  /// Whole-group ranks on a node, ascending.
  const std::vector<int>& members(int node) const noexcept {
    return members_[static_cast<std::size_t>(node)];
  }
  /// As many as the largest node has members.
  int lanes() const noexcept { return lanes_; }
  int rank_in_lane(int node, int lane) const noexcept {
    const std::vector<int>& all = members(node);
    return all[static_cast<std::size_t>(lane) % all.size()];
  }

 private:
  std::vector<std::vector<int>> members_;
  int my_node_;
  int lanes_ = 1;
};

}  // namespace lagoon::atoll::detail
