#include "compat/armci/groups.hpp"

#include <numeric>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::armci {

Groups::Groups(const Group& everybody) {
  std::vector<int> all(static_cast<std::size_t>(everybody.size()));
  std::iota(all.begin(), all.end(), 0);
  entries_[world] = {everybody, std::move(all)};
}

const Groups::Entry& Groups::entry(int number) const {
  const auto found = entries_.find(number);
  if (found == entries_.end())
    throw Error(ErrorKind::value, "there is no group " + std::to_string(number));
  return found->second;
}

const Group& Groups::at(int number) const {
  const Group& group = entry(number).group;
  if (!group)
    throw Error(ErrorKind::state, "this process is not in group " + std::to_string(number));
  return group;
}

int Groups::rank(int number) const {
  const Group& group = entry(number).group;
  return group ? group.rank() : -1;
}

int Groups::create(std::span<const int> processes, int parent) {
  const Group& from = at(parent);
  Entry made{from.create(processes), {}};
  for (const int process : processes) made.world_ranks.push_back(from.world_rank(process));
  entries_[next_] = std::move(made);
  return next_++;
}

void Groups::free(int number) {
  if (number == world) throw Error(ErrorKind::value, "group 0 is the world, which stays");
  (void)entry(number);
  entries_.erase(number);
  if (default_ == number) default_ = world;
}

void Groups::set_default(int number) {
  (void)at(number);
  default_ = number;
}

}  // namespace lagoon::atoll::armci
