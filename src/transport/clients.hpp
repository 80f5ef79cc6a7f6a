// Clients: the origin's side of all agents, who are dealt out to a few clients. Each of these has a
// lock, slots and lists of its own, so that threads of a rank that talk to different nodes need not
// wait for each other. Agents keep the order of one origin's requests each for itself, so nothing
// is lost by it.
#pragma once

#include <memory>
#include <vector>

#include "transport/client.hpp"

namespace lagoon::atoll::detail {

class Clients {
 public:
  /// As many clients as there are agents, up to a few; one where `rma` is given, which has no lock.
  Clients(WorldState& world, MPI_Comm communicator, RmaPath* rma, bool batches);

  Client& to(const Place& place) { return *clients_[agent_of(place) % clients_.size()]; }
  bool poll() noexcept;
  bool poll_aside() noexcept;
  bool needs_looks() const noexcept;
  void send_batches();
  /// Both finish all that they are to finish before they throw.
  void fence(int node);
  void fence_all();
  void drain();
  void stop(int agent) { clients_[static_cast<std::size_t>(agent) % clients_.size()]->stop(agent); }

 private:
  std::size_t agent_of(const Place& place) const;

  const Roles& roles_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace lagoon::atoll::detail
