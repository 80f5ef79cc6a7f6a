#include "transport/clients.hpp"

#include <algorithm>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

// More locks than threads of a rank that wait at a time are not worth their slots.
constexpr std::size_t most_clients = 4;

void tell(bool lost_write) {
  if (lost_write)
    throw Error(ErrorKind::state,
                "an earlier put or accumulate went to an array that was destroyed");
}

}  // namespace

Clients::Clients(WorldState& world, MPI_Comm communicator, RmaPath* rma, bool batches)
    : roles_(*world.roles) {
  const std::size_t count =
      rma != nullptr ? 1 : std::clamp<std::size_t>(roles_.agents.size(), 1, most_clients);
  for (std::size_t first = 0; first < count; ++first)
    clients_.push_back(std::make_unique<Client>(world, communicator, rma, batches, first, count));
}

std::size_t Clients::agent_of(const Place& place) const {
  return static_cast<std::size_t>(roles_.agent_of(place.segment.group().world_rank(place.owner)));
}

bool Clients::poll() noexcept {
  bool moved = false;
  for (const auto& client : clients_) moved = client->poll() || moved;
  return moved;
}

bool Clients::poll_aside() noexcept {
  bool moved = false;
  for (const auto& client : clients_) moved = client->poll_aside() || moved;
  return moved;
}

bool Clients::needs_looks() const noexcept {
  return std::any_of(clients_.begin(), clients_.end(),
                     [](const auto& client) { return client->needs_looks(); });
}

void Clients::send_batches() {
  for (const auto& client : clients_) client->send_batches();
}

void Clients::fence(int node) {
  bool lost_write = false;
  for (const auto& client : clients_) lost_write = client->fence(node) || lost_write;
  tell(lost_write);
}

void Clients::fence_all() {
  // All flushes first, then wait: one round trip, however many nodes.
  for (const auto& client : clients_) client->begin_fence();
  bool lost_write = false;
  for (const auto& client : clients_) lost_write = client->fence_all() || lost_write;
  tell(lost_write);
}

void Clients::drain() {
  for (const auto& client : clients_) client->drain();
}

}  // namespace lagoon::atoll::detail
