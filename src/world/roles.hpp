// Roles: which ranks compute and which only serve requests (ATOLL_PROGRESS=rank), and how the ranks
// of a host fall into nodes. The first thing that a World finds out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/handles.hpp"
#include "world/config.hpp"
#include "world/domains.hpp"
#include "world/doorbell.hpp"
#include "world/topology.hpp"

namespace lagoon::atoll::detail {

class Roles {
 public:
  /// Collective over `parent`, of which it makes communicators of its own. Error(value) on all
  /// ranks when a host or a node has too few ranks for the settings.
  Roles(mpi::Comm parent, const Config& config);
  Roles(const Roles&) = delete;
  Roles& operator=(const Roles&) = delete;
  ~Roles();
  /// Whether MPI lets several threads call it, so that there may be agents and movers that are.
  static bool threads_allowed() noexcept;

  mpi::Comm everybody = mpi::comm_null;  ///< compute ranks and progress ranks
  mpi::Comm compute = mpi::comm_null;    ///< compute ranks: Atoll's world; null on progress ranks
  mpi::Comm node = mpi::comm_null;       ///< my node's ranks, the progress ranks last
  bool serves = false;                   ///< I am a progress rank
  /// In ranks of `everybody`, by node: its agents, `agents_per_node` of them. A node without
  /// progress ranks is served by its leader.
  std::vector<std::int32_t> agents;
  int agents_per_node = 1;
  std::unique_ptr<Doorbell> doorbell;      ///< an agent's own, where there is more than one node
  std::vector<DoorbellAddress> doorbells;  ///< by agent, as `agents`
  Cores cores;        ///< what I bind myself to as a progress rank; none: nothing
  Topology topology;  ///< of the compute ranks; on a progress rank without a rank of its own

  /// The agent of a world rank's memory, of its domain (domains.hpp) where that has one. Requests
  /// for one owner always go to the same agent, which keeps their order.
  int agent_of(int world_rank) const noexcept {
    return agent_of_rank_[static_cast<std::size_t>(world_rank)];
  }

 private:
  std::vector<std::int32_t> choose_agents(
      const std::vector<std::int32_t>& domains_of_ranks,
      const std::vector<std::vector<std::int32_t>>& domains_of_agents);

  void split(mpi::Comm host, const Config& config);
  void tell_everybody(const Topology& host, const Config& config);
  void free_all() noexcept;

  std::vector<std::int32_t> agent_of_rank_;
};

}  // namespace lagoon::atoll::detail
