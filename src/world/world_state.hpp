// WorldState: everything a running World consists of in this process. One at a time.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "atoll/group.hpp"
#include "world/collective.hpp"
#include "world/config.hpp"
#include "world/engine.hpp"
#include "world/node_memory.hpp"
#include "world/profile.hpp"
#include "world/roles.hpp"
#include "world/topology.hpp"
#include "world/unread.hpp"

namespace lagoon::atoll::detail {

class WorldState : public Engine {
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
  std::unique_ptr<Profile> profile;  ///< null without ATOLL_PROFILE or ATOLL_TIMEOUT
  /// Merges of this rank so far: made, begun in that order, and over (array/mirror/merge_job.hpp).
  struct Merges {
    std::uint64_t made = 0, begun = 0, over = 0;
  } merges;
  unread::MeetingMessages meeting_messages;          ///< of this rank; see barrier.cpp
  std::uint64_t next_group = 0;                      ///< for group numbers; see GroupState::number
  std::vector<GroupState*> groups;                   ///< held by somebody on this rank
  std::vector<std::unique_ptr<GroupState>> retired;  ///< by this rank; see GroupState
  std::atomic<std::uint64_t> retirements = 0;        ///< of groups, so far
  std::atomic<std::uint64_t> meetings = 0;           ///< of all groups that this rank has come to
  /// What is still to be done, by all ranks together, when the world ends; throws nothing.
  std::vector<std::function<void()>> at_end;

 private:
  void start_profile();
  void end() noexcept;

  std::unique_ptr<NodeMemory> node_memory_;
};

}  // namespace lagoon::atoll::detail
