// What a rank keeps of all ranks and nodes, beside its data: tables of the world and of a group,
// of its array's layout, of the nodes of a mirrored array, and of the agents that it talks to.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "atoll/distribution.hpp"
#include "tables.hpp"
#include "transport/connection.hpp"
#include "world/node_members.hpp"

namespace lagoon::atoll::scale {

void print_memory() {
  for (const int ranks : rank_counts) {
    const auto nodes = static_cast<std::size_t>(ranks / ranks_of_node);
    const std::size_t word = sizeof(std::int32_t);
    // Topology: the node of each rank; roles: the agents; the world's group: of each node its
    // number and its first rank. A group of half of the ranks: their ranks in the world, and its
    // nodes'.
    const std::size_t world = word * (static_cast<std::size_t>(ranks) + 3 * nodes);
    const std::size_t group = word * (static_cast<std::size_t>(ranks) / 2 + 2 * nodes);
    const std::size_t layout =
        heap_of([&] { return Distribution(Layout::blocked(), {1'000'000, 1'000'000}, ranks); });
    const std::size_t dealt = heap_of(
        [&] { return Distribution(Layout::dealt({1000, 1000}), {1'000'000, 1'000'000}, ranks); });
    const std::size_t mirror = heap_of([&] {
      std::vector<std::vector<int>> members(nodes, std::vector<int>(ranks_of_node));
      return detail::NodeMembers(std::move(members), 0);
    });
    // Clients: of each agent a connection, null until it is used, and places in two lists.
    const std::size_t agents = nodes * 3 * sizeof(void*);
    const std::size_t connection = heap_of([] {
      auto made = std::make_unique<detail::Connection>();
      made->held.reserve(64);
      return made;
    });
    std::printf("memory\t%d\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\n", ranks, world, group, layout,
                dealt, mirror, agents, connection * nodes,
                world + group + layout + dealt + mirror + agents + connection * nodes);
  }
}

}  // namespace lagoon::atoll::scale
