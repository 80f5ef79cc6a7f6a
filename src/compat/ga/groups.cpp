#include "compat/ga/groups.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "atoll/error.hpp"

namespace lagoon::atoll::ga {

namespace {

constexpr int first_created = 2;

std::vector<int> ranks_of(const Group& group) {
  std::vector<int> ranks;
  for (int r = 0; r < group.size(); ++r) ranks.push_back(group.world_rank(r));
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace

Groups::Groups(const Group& world) {
  entries_.emplace(world_handle, Entry{world, ranks_of(world)});
  entries_.emplace(mirror_handle, mirror());
}

/// The ranks of my node, when there is more than one node; else the world (trap 14).
Groups::Entry Groups::mirror() const {
  const Group& world = entries_.at(world_handle).group;
  if (world.nodes() == 1) return entries_.at(world_handle);
  Group node = world.split(world.node());
  std::vector<int> ranks = ranks_of(node);
  return {std::move(node), std::move(ranks)};
}

const Groups::Entry& Groups::entry(int handle) const {
  const auto found = entries_.find(handle);
  if (found == entries_.end())
    throw Error(ErrorKind::value, "p_handle is " + std::to_string(handle) + ", no group");
  return found->second;
}

const Group& Groups::at(int handle) const {
  const Entry& found = entry(handle);
  if (!found.group)
    throw Error(ErrorKind::state, "this process is not in group " + std::to_string(handle));
  return found.group;
}

bool Groups::member(int handle) const { return static_cast<bool>(entry(handle).group); }
const std::vector<int>& Groups::world_ranks(int handle) const { return entry(handle).world_ranks; }

int Groups::world_rank(int handle, int process) const {
  const std::vector<int>& ranks = world_ranks(handle);
  if (process < 0 || process >= static_cast<int>(ranks.size()))
    throw Error(ErrorKind::value,
                "process is " + std::to_string(process) + " of " + std::to_string(ranks.size()));
  return ranks[static_cast<std::size_t>(process)];
}

int Groups::rank(int handle) const {
  const Group& group = entry(handle).group;
  return group ? group.rank() : -1;
}

void Groups::set_default(int handle) {
  (void)entry(handle);
  default_ = handle;
}

int Groups::keep(Entry entry) {
  int handle = first_created;
  while (entries_.contains(handle)) ++handle;
  entries_.emplace(handle, std::move(entry));
  return handle;
}

int Groups::create(std::span<const int> processes) {
  const Group& parent = default_group();
  std::vector<int> sorted(processes.begin(), processes.end());
  std::ranges::sort(sorted);
  for (const int process : sorted)
    if (process < 0 || process >= parent.size())
      throw Error(ErrorKind::value, "list names process " + std::to_string(process) + " of " +
                                        std::to_string(parent.size()));
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error(ErrorKind::value, "list names process " + std::to_string(*twice) + " twice");
  return keep(group_of(parent, sorted));
}

Groups::Entry Groups::group_of(const Group& parent, const std::vector<int>& processes) {
  Entry made{parent.create_among(processes), {}};
  for (const int process : processes) made.world_ranks.push_back(parent.world_rank(process));
  return made;
}

int Groups::self() {
  const Group& world = at(world_handle);
  return keep(group_of(world, {world.rank()}));
}

int Groups::split(int handle, int colour) {
  Group made = at(handle).split(colour);
  std::vector<int> ranks = ranks_of(made);
  return keep({std::move(made), std::move(ranks)});
}

int Groups::split_evenly(int handle, int parts) {
  const Group& whole = at(handle);
  if (parts < 1 || parts > whole.size())
    throw Error(ErrorKind::value, "num_group is " + std::to_string(parts) + " for a group of " +
                                      std::to_string(whole.size()));
  // As GA does: all but the last are of one size, and each has a number of its own everywhere.
  const int size = (whole.size() + parts - 1) / parts;
  int mine = 0;
  for (int first = 0; first < whole.size(); first += size) {
    std::vector<int> processes;
    for (int p = first; p < std::min(first + size, whole.size()); ++p) processes.push_back(p);
    const int made = keep(group_of(whole, processes));
    if (member(made)) mine = made;
  }
  return mine;
}

bool Groups::destroy(int handle) noexcept {
  if (handle < first_created) return false;
  if (handle == default_) default_ = world_handle;
  return entries_.erase(handle) > 0;
}

}  // namespace lagoon::atoll::ga
