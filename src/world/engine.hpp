// Engine: what a rank moves on whenever it waits inside Atoll. Requests of other nodes and its own
// operations, which the transport above this layer knows, and chores.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/handles.hpp"
#include "world/ending.hpp"
#include "world/farewell.hpp"
#include "world/one_thread.hpp"
#include "world/thread_rule.hpp"
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
  /// Whether a user's function goes with it (function_turn.hpp).
  virtual bool has_function() const noexcept { return false; }

 private:
  virtual bool take_turn() = 0;
  /// What it is, for a run that ends because a turn has failed.
  virtual std::string_view name() const noexcept = 0;
};

/// The chores under way. Any thread may add some; whoever moves them on is inside the engine.
class Chores {
 public:
  void push_back(std::shared_ptr<Chore> chore);
  void erase(const Chore* chore) noexcept;
  void clear() noexcept;
  bool empty() const noexcept { return count_.load(std::memory_order_acquire) == 0; }
  /// Moves each on, and lets those go that are done. True when something moved.
  bool poll() noexcept;

 private:
  bool has_finished() noexcept;
  std::shared_ptr<Chore> take_finished(bool with_functions) noexcept;

  std::mutex mutex_;  // guards the list
  std::vector<std::shared_ptr<Chore>> all_;
  std::atomic<std::size_t> count_{0};
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

/// Any threads of the rank may wait at once: one of them at a time moves things on, and wakes the
/// others when something has moved.
class Engine {
 public:
  std::unique_ptr<Progress> progress;      ///< null on a single node
  Chores chores;                           ///< under way; those that are done leave
  OneThread collective;                    ///< who is in a collective call
  const CollectiveCall* inside = nullptr;  ///< where that thread waits for others
  Questions questions;
  /// The program's end, to which all come, however late: nobody is missed there.
  bool at_the_end = false;
  std::unique_ptr<Watchdog> watchdog;  ///< null without ATOLL_TIMEOUT

  /// Moves on what can be. True when something moved; false at once while another thread does it,
  /// or for a thread that may not call MPI: local operations come here, too.
  bool serve() noexcept {
    const MpiTurn turn;
    if (!turn) return false;
    const OneThread::Entry entry(serving_);
    if (!entry) return false;
    const bool moved = progress != nullptr && progress->poll();
    const int left = attention_.load(std::memory_order_relaxed);
    attention_.store(moved      ? waiting::looks_after_request
                     : left > 0 ? left - 1
                                : 0,
                     std::memory_order_relaxed);
    const bool any_moved = (!chores.empty() && chores.poll()) || moved;
    if (any_moved) tell_news();
    return any_moved;
  }
  /// The same of one chore alone.
  bool serve(Chore& chore) noexcept {
    const MpiTurn turn;
    if (!turn) return false;
    const OneThread::Entry entry(serving_);
    if (!entry || !chore.poll()) return false;
    tell_news();
    return true;
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
    waiters_.fetch_add(1, std::memory_order_relaxed);
    const Left left{waiters_};
    std::uint32_t seen = news_.value();
    detail::wait_until(waiting::in_call, ready, *this, [&](WaitTime nap, WaitTime) {
      if (waiters_.load(std::memory_order_relaxed) == 1)
        take_nap(nap);
      else
        news_.sleep_while(seen, nap);
      seen = news_.value();
    });
  }
  /// Waits while the bell's value is `seen`.
  void wait_while(Bell& bell, std::uint32_t seen) {
    detail::wait_while(waiting::in_call, bell, seen, *this);
  }
  /// `wait_until` where `ready` has MPI look at the network: requests have their turn less often.
  template <class Ready>
  void wait_for_message(Ready&& ready) {
    wait_until([&] {
      const int looks =
          alone_ || attention_.load(std::memory_order_relaxed) > 0 ? 1 : waiting::looks_for_message;
      for (int i = 1; i < looks; ++i) {
        if (ready()) return true;
        yield_core();
      }
      return static_cast<bool>(ready());
    });
  }
  /// Waits for an MPI request without the spinning inside MPI_Wait. It returns with the request
  /// alone, as MPI has the caller's memory until then; Error(communication) if that has failed.
  void wait(mpi::Request& request);

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
  Engine(mpi::Comm communicator, bool alone) : questions(communicator), alone_(alone) {}
  ~Engine() = default;

 private:
  struct Left {
    std::atomic<int>& waiters;
    ~Left() { waiters.fetch_sub(1, std::memory_order_relaxed); }
  };
  void tell_news() noexcept {
    if (watchdog != nullptr) watchdog->moved();
    if (news_.has_sleepers()) news_.ring(news_.value() + 1);
  }

  const bool alone_;
  OneThread serving_;
  std::atomic<int> attention_{0};  // looks for requests, one after the other, that are left
  std::atomic<int> waiters_{0};    // threads in `wait_until`
  Bell news_{};                    // where those sleep that are not alone
};

}  // namespace lagoon::atoll::detail
