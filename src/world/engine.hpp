// Engine: what a rank moves on whenever it waits inside Atoll. Requests of other nodes and its own
// operations, which the transport above this layer knows, and chores.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "world/ending.hpp"
#include "world/farewell.hpp"
#include "world/waiting.hpp"
#include "world/watchdog.hpp"

namespace lagoon::atoll::detail {

struct Config;
class Roles;
class WorldState;

/// Work that goes on whenever its rank waits inside Atoll, such as a merge.
class Chore {
 public:
  Chore() = default;
  Chore(const Chore&) = delete;
  Chore& operator=(const Chore&) = delete;
  virtual ~Chore() = default;
  /// Moves it on, without waiting. True when something moved. What fails is the chore's to keep for
  /// who waits for it: others have their turn in the midst of somebody's wait, which goes on.
  bool poll() noexcept {
    return unfailing(name(), [this] { return take_turn(); });
  }
  virtual bool done() const noexcept = 0;

 private:
  virtual bool take_turn() = 0;
  /// What it is, for a run that ends because a turn has failed.
  virtual std::string_view name() const noexcept = 0;
};

/// What is needed here of the transport. It ends its agents when it goes.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;
  /// Serves what has arrived and moves my own operations on. True when something moved.
  virtual bool poll() noexcept = 0;
  /// Whether something stands still while this rank does not look.
  virtual bool needs_looks() const noexcept = 0;
  /// Completes my operations on the node (all nodes: `fence_all`) at the target.
  virtual void fence(int node) = 0;
  virtual void fence_all() = 0;
  /// Orders this thread's accesses and the agent's: what either wrote before is visible to the
  /// other after. Called on both sides of every barrier, and where memory changes hands
  /// (Engine::observe_agent): both order the ranks but not the agents.
  virtual void observe() noexcept = 0;
  /// One line for `atoll info`.
  virtual std::string describe() const = 0;
};

/// Defined by the transport layer; called by the world at start.
std::unique_ptr<Progress> make_progress(WorldState& world);

/// The whole work of a progress rank: serves its node until its leader lets it go. Defined by the
/// transport layer; collective with the WorldState's construction and end on the compute ranks.
/// Throws what keeps the world from starting; a later error ends the run.
void serve_node(const Roles& roles, const Config& config);

class Engine {
 public:
  std::unique_ptr<Progress> progress;          ///< null on a single node
  std::vector<std::shared_ptr<Chore>> chores;  ///< under way; those that are done leave
  const CollectiveCall* inside = nullptr;      ///< where this rank waits for others
  Questions questions;
  /// The program's end, to which all come, however late: nobody is missed there.
  bool at_the_end = false;
  std::unique_ptr<Watchdog> watchdog;  ///< null without ATOLL_TIMEOUT

  /// Moves on what can be. True when something moved.
  bool serve() noexcept {
    const bool moved = progress != nullptr && progress->poll();
    attention_ = moved ? waiting::looks_after_request : attention_ > 0 ? attention_ - 1 : 0;
    const bool any_moved = (!chores.empty() && do_chores()) || moved;
    if (any_moved && watchdog != nullptr) watchdog->moved();
    return any_moved;
  }
  /// Asks and reads questions. That also lets MPI move what it has accepted and not yet handed to
  /// the network: it need not do so on its own, and a peer may wait for it.
  void before_sleep(std::chrono::steady_clock::time_point since) noexcept;
  /// Whether something stands still while this rank does not look.
  bool needs_looks() const noexcept {
    return !chores.empty() || (progress != nullptr && progress->needs_looks());
  }

  /// Waits until `ready()`.
  template <class Ready>
  void wait_until(Ready&& ready) {
    detail::wait_until(waiting::in_call, ready, *this);
  }
  /// Waits while the bell's value is `seen`.
  void wait_while(Bell& bell, std::uint32_t seen) {
    detail::wait_while(waiting::in_call, bell, seen, *this);
  }
  /// `wait_until` where `ready` has MPI look at the network: requests have their turn less often.
  template <class Ready>
  void wait_for_message(Ready&& ready) {
    wait_until([&] {
      const int looks = alone_ || attention_ > 0 ? 1 : waiting::looks_for_message;
      for (int i = 1; i < looks; ++i) {
        if (ready()) return true;
        yield_core();
      }
      return static_cast<bool>(ready());
    });
  }
  /// Waits for an MPI request without the spinning inside MPI_Wait. It always ends with the
  /// request: until then MPI has the caller's memory.
  void wait(MPI_Request& request) noexcept;

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

 protected:
  /// `alone`: nobody else serves this rank's node.
  Engine(MPI_Comm communicator, bool alone) : questions(communicator), alone_(alone) {}
  ~Engine() = default;

 private:
  bool do_chores() noexcept;

  const bool alone_;
  int attention_ = 0;  // looks for requests, one after the other, that are left
};

}  // namespace lagoon::atoll::detail
