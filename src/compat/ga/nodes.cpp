#include "compat/ga/nodes.hpp"

#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

std::vector<int> members(std::int64_t node) {
  const World& world = Runtime::get().world();
  if (node == my_own) node = world.node();
  if (node < 0 || node >= world.nodes())
    throw Error(ErrorKind::value,
                "node is " + std::to_string(node) + " of " + std::to_string(world.nodes()));
  std::vector<int> result;
  for (int r = 0; r < world.size(); ++r)
    if (world.node_of(r) == node) result.push_back(r);
  return result;
}

}  // namespace

int my_process() {
  const Groups& groups = Runtime::get().groups;
  return groups.rank(groups.default_handle());
}

int process_count() {
  const Groups& groups = Runtime::get().groups;
  return static_cast<int>(groups.world_ranks(groups.default_handle()).size());
}

int node_count() { return Runtime::get().world().nodes(); }
int my_node() { return Runtime::get().world().node(); }
int processes_of_node(std::int64_t node) { return static_cast<int>(members(node).size()); }

int process_of_node(std::int64_t node, std::int64_t which) {
  const std::vector<int> all = members(node);
  if (which < 0 || which >= static_cast<std::int64_t>(all.size()))
    throw Error(ErrorKind::value, "process " + std::to_string(which) + " of node " +
                                      std::to_string(node) + ", which has " +
                                      std::to_string(all.size()));
  return all[static_cast<std::size_t>(which)];
}

int node_of_process(std::int64_t process) {
  const World& world = Runtime::get().world();
  if (process == my_own) return world.node();
  if (process < 0 || process >= world.size())
    throw Error(ErrorKind::value,
                "process is " + std::to_string(process) + " of " + std::to_string(world.size()));
  return world.node_of(static_cast<int>(process));
}

bool is_valid(std::int64_t g_a) {
  const GlobalArray* found = Runtime::get().arrays.find(static_cast<int>(g_a));
  return found != nullptr && found->allocated();
}

}  // namespace lagoon::atoll::ga
