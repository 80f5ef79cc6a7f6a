// Progress: what the world layer needs of the transport that stands above it. Waiting ranks call
// `poll`, so that requests are served while they wait; the world ends the agents through `stop`.
#pragma once

#include <memory>
#include <string>

namespace lagoon::atoll::detail {

struct Config;
class Roles;
class WorldState;

class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;
  /// Serves what has arrived and moves my own operations on. True when something moved.
  virtual bool poll() = 0;
  /// Completes my operations on the node (all nodes: `fence_all`) at the target.
  virtual void fence(int node) = 0;
  virtual void fence_all() = 0;
  /// Orders this thread's accesses and the agent's: what either wrote before is visible to the
  /// other after. Called on both sides of every barrier, and where memory changes hands
  /// (WorldState::observe_agent): both order the ranks but not the agents.
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

}  // namespace lagoon::atoll::detail
