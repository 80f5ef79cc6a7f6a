// Roles: asking MPI who shares memory, splitting hosts into nodes, setting progress ranks aside.
#include "world/roles.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

// Ranks may be bound to different cores, so the host's cores are the union of all masks.
int count_cores(mpi::Comm host) {
  Cores mine = my_cores();
  if (mine.empty()) mine.push_back(0);
  int most = 0;
  check_mpi(mpi::allreduce(&mine.back(), &most, 1, mpi::type_int, mpi::op_max, host),
            "MPI_Allreduce");
  std::vector<unsigned char> may_run(static_cast<std::size_t>(most) + 1), any(may_run.size());
  for (const int core : mine) may_run[static_cast<std::size_t>(core)] = 1;
  check_mpi(mpi::allreduce(may_run.data(), any.data(), most + 1, mpi::type_byte, mpi::op_bor, host),
            "MPI_Allreduce");
  return static_cast<int>(std::ranges::count(any, 1));
}

int minimum(int value, mpi::Comm communicator) {
  int least = 0;
  check_mpi(mpi::allreduce(&value, &least, 1, mpi::type_int, mpi::op_min, communicator),
            "MPI_Allreduce");
  return least;
}

}  // namespace

Roles::Roles(mpi::Comm parent, const Config& config) {
  check_mpi(mpi::comm_dup(parent, &everybody), "MPI_Comm_dup");
  // Errors are told as ours are (check_mpi). All communicators made of this one inherit that.
  mpi::comm_set_errhandler(everybody, mpi::errors_return);
  int rank = 0;
  mpi::comm_rank(everybody, &rank);
  mpi::Comm host = mpi::comm_null;
  check_mpi(mpi::comm_split_shared(everybody, rank, &host), "MPI_Comm_split_type");
  Topology sizes;
  mpi::comm_size(host, &sizes.host_ranks);
  sizes.host_cores = count_cores(host);
  try {
    split(host, config);
  } catch (...) {
    mpi::comm_free(&host);
    free_all();
    throw;
  }
  mpi::comm_free(&host);
  tell_everybody(sizes, config);
  if (config.transport == TransportMode::shared && topology.nodes > 1) {
    const int nodes = topology.nodes;
    free_all();
    throw Error(ErrorKind::value,
                "environment variable ATOLL_TRANSPORT=shared: expected one node, "
                "these are " +
                    std::to_string(nodes))
        .thrown_everywhere();
  }
}

bool Roles::threads_allowed() noexcept {
  mpi::ThreadLevel level = mpi::ThreadLevel::single;
  mpi::query_thread(&level);
  return level == mpi::ThreadLevel::multiple;
}

void Roles::split(mpi::Comm host, const Config& config) {
  int host_rank = 0, host_ranks = 0;
  mpi::comm_rank(host, &host_rank);
  mpi::comm_size(host, &host_ranks);
  const int fewest = minimum(host_ranks, everybody);
  if (config.nodes > fewest)
    throw Error(ErrorKind::value,
                "environment variable ATOLL_NODES=" + std::to_string(config.nodes) +
                    ": a host has only " + std::to_string(fewest) + " ranks to split into nodes")
        .thrown_everywhere();
  // Consecutive ranks of a host stay together; sizes differ by one at most.
  const auto part =
      static_cast<int>(static_cast<std::int64_t>(host_rank) * config.nodes / host_ranks);
  check_mpi(mpi::comm_split(host, part, host_rank, &node), "MPI_Comm_split");
  int place = 0, size = 0;
  mpi::comm_rank(node, &place);
  mpi::comm_size(node, &size);
  if (config.progress != ProgressMode::rank) return;
  const int smallest = minimum(size, everybody);
  if (config.progress_ranks >= smallest)
    throw Error(ErrorKind::value,
                (Config::adjust != nullptr
                     ? "environment variable ATOLL_GHOST_RANKS="
                     : "environment variables ATOLL_PROGRESS=rank, ATOLL_PROGRESS_RANKS=") +
                    std::to_string(config.progress_ranks) + ": a node has only " +
                    std::to_string(smallest) + " ranks, and at least one must be left to compute")
        .thrown_everywhere();
  serves = place >= size - config.progress_ranks;
  agents_per_node = config.progress_ranks;
}

/// Everybody learns each rank's node (by the node's first rank), role, domain and doorbell.
void Roles::tell_everybody(const Topology& host, const Config& config) {
  int rank = 0, size = 0, place = 0;
  mpi::comm_rank(everybody, &rank);
  mpi::comm_size(everybody, &size);
  mpi::comm_rank(node, &place);
  const bool one_host = host.host_ranks == size, one_node = one_host && config.nodes == 1;
  const bool by_ranks = config.progress == ProgressMode::rank;
  const bool agent =
      by_ranks ? serves
               : config.progress == ProgressMode::thread && place == 0 && threads_allowed();
  if (agent && !one_node && config.doorbell) doorbell = std::make_unique<Doorbell>(one_host);
  const std::vector<Cores> domains = by_ranks ? domains_of_host() : std::vector<Cores>();
  struct Part {
    std::int32_t leader, serving, domain;
    DoorbellAddress doorbell;
  };
  Part mine{rank, serves ? 1 : 0, domain_of(domains, my_cores()),
            doorbell ? doorbell->address() : DoorbellAddress{}};
  check_mpi(mpi::bcast(&mine.leader, 1, mpi::type_int32, 0, node), "MPI_Bcast");
  std::vector<Part> all(static_cast<std::size_t>(size));
  check_mpi(mpi::allgather(&mine, sizeof mine, mpi::type_byte, all.data(), sizeof mine,
                           mpi::type_byte, everybody),
            "MPI_Allgather");
  check_mpi(mpi::comm_split(everybody, serves ? mpi::undefined : 0, rank, &compute),
            "MPI_Comm_split");

  // Nodes are numbered by their lowest rank, which always computes.
  std::vector<std::int32_t> first_ranks, leaders;
  for (const Part& part : all) first_ranks.push_back(part.leader);
  std::sort(first_ranks.begin(), first_ranks.end());
  first_ranks.erase(std::unique(first_ranks.begin(), first_ranks.end()), first_ranks.end());
  const auto node_number = [&](std::int32_t leader) {
    return std::lower_bound(first_ranks.begin(), first_ranks.end(), leader) - first_ranks.begin();
  };
  std::vector<std::vector<std::int32_t>> serving_of(first_ranks.size());
  std::vector<std::vector<std::int32_t>> domains_of_agents(first_ranks.size());
  std::vector<std::int32_t> domains_of_ranks;
  std::vector<std::int32_t> world_rank(all.size(), -1);
  std::int32_t computing = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto& [leader, serving, domain, bell] = all[r];
    if (serving != 0) {
      const auto n = static_cast<std::size_t>(node_number(leader));
      serving_of[n].push_back(static_cast<std::int32_t>(r));
      domains_of_agents[n].push_back(domain);
      continue;
    }
    domains_of_ranks.push_back(domain);
    world_rank[r] = computing++;
    leaders.push_back(world_rank[static_cast<std::size_t>(leader)]);
  }
  for (std::size_t n = 0; n < first_ranks.size(); ++n) {
    if (serving_of[n].empty()) {
      serving_of[n] = {first_ranks[n]};
      domains_of_agents[n] = {any_domain};
    }
    agents.insert(agents.end(), serving_of[n].begin(), serving_of[n].end());
  }
  for (const std::int32_t each : agents)
    doorbells.push_back(all[static_cast<std::size_t>(each)].doorbell);
  topology = Topology::of(leaders, world_rank[static_cast<std::size_t>(rank)]);
  topology.host_ranks = host.host_ranks;
  topology.host_cores = host.host_cores;
  topology.one_host = one_host;
  if (serves) topology.node = static_cast<int>(node_number(mine.leader));
  const auto served = choose_agents(domains_of_ranks, domains_of_agents);
  if (!serves) return;
  const auto& serving = serving_of[static_cast<std::size_t>(topology.node)];
  const auto me = std::ranges::find(serving, rank) - serving.begin();
  cores = cores_to_serve(domains, served[static_cast<std::size_t>(me)], my_cores());
}

/// Gives the domains that the agents of my node serve.
std::vector<std::int32_t> Roles::choose_agents(
    const std::vector<std::int32_t>& domains_of_ranks,
    const std::vector<std::vector<std::int32_t>>& domains_of_agents) {
  std::vector<std::int32_t> mine;
  agent_of_rank_.resize(domains_of_ranks.size());
  const auto nodes = static_cast<std::size_t>(topology.nodes);
  std::vector<std::vector<std::size_t>> ranks(nodes);
  std::vector<std::vector<std::int32_t>> domains(nodes);
  for (std::size_t r = 0; r < agent_of_rank_.size(); ++r) {
    const auto n = static_cast<std::size_t>(topology.node_of[r]);
    ranks[n].push_back(r);
    domains[n].push_back(domains_of_ranks[r]);
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    Service service = share_out(domains[n], domains_of_agents[n]);
    for (std::size_t i = 0; i < ranks[n].size(); ++i)
      agent_of_rank_[ranks[n][i]] =
          static_cast<std::int32_t>(n) * agents_per_node + service.agent_of_rank[i];
    if (n == static_cast<std::size_t>(topology.node)) mine = std::move(service.domain_of_agent);
  }
  return mine;
}

void Roles::free_all() noexcept {
  for (mpi::Comm* communicator : {&compute, &node, &everybody})
    if (*communicator != mpi::comm_null) mpi::comm_free(communicator);
}

Roles::~Roles() { free_all(); }

}  // namespace lagoon::atoll::detail
