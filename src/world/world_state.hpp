// WorldState: everything a running World consists of in this process. One at a time.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "atoll/group.hpp"
#include "world/collective.hpp"
#include "world/config.hpp"
#include "world/node_memory.hpp"
#include "world/profile.hpp"
#include "world/progress.hpp"
#include "world/roles.hpp"
#include "world/topology.hpp"
#include "world/waiter.hpp"

namespace lagoon::atoll::detail {

/// Work of this rank that goes on whenever it waits inside Atoll, such as a merge.
class Chore {
 public:
  Chore() = default;
  Chore(const Chore&) = delete;
  Chore& operator=(const Chore&) = delete;
  virtual ~Chore() = default;
  /// Moves it on, without waiting. True when something moved.
  virtual bool poll() = 0;
  virtual bool done() const noexcept = 0;
};

class WorldState {
 public:
  /// Collective over the compute ranks, while the progress ranks call `serve_node`. Errors are
  /// raised on all ranks.
  WorldState(std::unique_ptr<const Roles> roles, const Config& config);
  WorldState(const WorldState&) = delete;
  WorldState& operator=(const WorldState&) = delete;
  ~WorldState();

  static WorldState* running;  ///< null when no world runs
  /// The running world; Error(state) when there is none.
  static WorldState& get();

  const Config config;
  const std::unique_ptr<const Roles> roles;
  const MPI_Comm communicator;  ///< of all compute ranks, for the library's own collectives
  const Topology& topology;
  std::uint64_t number;  ///< how many worlds this process has seen; tells stale handles

  NodeMemory& node_memory() noexcept { return *node_memory_; }
  Arena& arena() noexcept { return node_memory_->arena(); }
  SharedMemory& memory() noexcept { return node_memory_->memory(); }

  Group all;  ///< the world's group
  Group default_group;
  std::unique_ptr<Progress> progress;                ///< null on a single node
  std::unique_ptr<Profile> profile;                  ///< null without ATOLL_PROFILE
  std::uint64_t next_group = 0;                      ///< for group numbers; see GroupState::number
  std::vector<GroupState*> groups;                   ///< held by somebody on this rank
  std::vector<std::unique_ptr<GroupState>> retired;  ///< by this rank; see GroupState
  std::uint64_t retirements = 0;                     ///< of groups, so far

  std::vector<std::shared_ptr<Chore>> chores;  ///< under way; those that are done leave
  /// Memory of the node goes from hand to hand by its arena's lock and by counts of holders, which
  /// order the ranks but not their agents: whoever takes some, or lets some go, calls this.
  void observe_agent() noexcept {
    if (progress != nullptr) progress->observe();
  }
  /// Completes this rank's one-sided operations at their targets.
  void fence() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (progress != nullptr) progress->fence_all();
  }
  /// Serves requests, moves my own operations and chores on. True when something moved.
  bool serve() {
    const bool moved = progress != nullptr && progress->poll();
    attention_ = moved ? looks_after_traffic : attention_ > 0 ? attention_ - 1 : 0;
    return (!chores.empty() && do_chores()) || moved;
  }

  /// Waits until `ready()`; serves requests meanwhile.
  template <class Ready>
  void wait_until(Ready&& ready) {
    if (ready()) return;
    Waiter waiter;
    do {
      if (serve()) {
        waiter.reset();
      } else {
        if (waiter.should_sleep()) push_messages();
        waiter.pause();
      }
    } while (!ready());
  }
  /// Lets MPI move what it has accepted and not yet handed to the network. For whoever sleeps in
  /// shared memory: MPI need not do so on its own, and a peer may wait for it.
  void push_messages();
  /// The same where `ready` has MPI look at the network. Serving takes a lock that the agent may
  /// hold and looks of its own, so where there is an agent and no traffic it comes once in several
  /// looks (measured: an exchange of four nodes on two cores takes 0.6 of the time; but a request
  /// then takes 9 microseconds instead of 2, so that those after the first find attention).
  template <class Ready>
  void wait_for_message(Ready&& ready) {
    wait_until([&] {
      const int looks = config.progress == ProgressMode::none || attention_ > 0 ? 1 : 16;
      for (int i = 1; i < looks; ++i) {
        if (ready()) return true;
        Waiter::yield();
      }
      return static_cast<bool>(ready());
    });
  }
  /// Waits for an MPI request without the spinning inside MPI_Wait.
  void wait(MPI_Request& request);

 private:
  static constexpr int looks_after_traffic = 64;

  void start_profile();
  void end() noexcept;
  bool do_chores();

  std::unique_ptr<NodeMemory> node_memory_;
  int attention_ = 0;  // looks for requests, one after the other, that are left
};

}  // namespace lagoon::atoll::detail
