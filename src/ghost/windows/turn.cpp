#include "ghost/windows/turn.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "atoll/memory.hpp"
#include "ghost/ghost.hpp"
#include "ghost/windows/moving.hpp"
#include "world/collective.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::ghost {

namespace {

using atoll::detail::Topology;
using atoll::detail::WorldState;

/// Of a node, in the memory of its leader.
struct Queue {
  std::int64_t tickets = 0;  // that were given out
  std::int64_t served = 0;
};

// Both are touched under the library's lock only.
std::unique_ptr<Memory> queues;
std::thread::id in_turn;  // the thread that is in one, of this rank

/// The word before.
std::int64_t add(int node, std::size_t word, std::int64_t more) {
  const Topology& topology = WorldState::get().topology;
  return queues->fetch_add(ElementType::int64, topology.leader_of[static_cast<std::size_t>(node)],
                           static_cast<std::int64_t>(word), more);
}

constexpr const char* name = "a window's turn";

}  // namespace

void open_queues() {
  if (!threads_meet()) return;
  const WorldState& world = WorldState::get();
  queues = std::make_unique<Memory>(world.all, world.topology.leader() ? sizeof(Queue) : 0, name);
}

void close_queues() noexcept { queues.reset(); }

Turn::Turn(std::span<const int> members, bool first, const std::function<void()>& meet) {
  if (!threads_meet() || members.size() == 1 || in_turn == std::this_thread::get_id()) return;
  // Whoever waits in a queue must not wait for members that are still to come: they may come only
  // after a call that waits behind this one.
  meet();
  if (first) take(members);
  meet();
  in_turn = std::this_thread::get_id();
  begun_ = true;
}

/// The others wait for it: what fails here ends the run.
void Turn::take(std::span<const int> members) {
  try {
    const std::vector<std::int32_t>& node_of = WorldState::get().topology.node_of;
    for (const int rank : members) nodes_.insert(node_of[static_cast<std::size_t>(rank)]);
    for (const int node : nodes_) {
      const std::int64_t mine = add(node, offsetof(Queue, tickets), 1);
      wait_for([&] { return add(node, offsetof(Queue, served), 0) == mine; });
    }
  } catch (const std::exception& error) {
    atoll::detail::cannot_go_on(name, error);
  }
}

/// The other members may still be on their way out, for which they need nobody.
Turn::~Turn() {
  if (begun_) in_turn = {};
  try {
    for (const int node : nodes_) (void)add(node, offsetof(Queue, served), 1);
  } catch (const std::exception& error) {
    atoll::detail::cannot_go_on(name, error);
  }
}

void meet_on(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  atoll::detail::check_mpi(PMPI_Ibarrier(communicator, &request), "MPI_Ibarrier");
  wait_for([&] {
    int done = 0;
    atoll::detail::check_mpi(PMPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
}

}  // namespace lagoon::atoll::ghost
