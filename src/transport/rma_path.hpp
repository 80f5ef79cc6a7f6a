// RmaPath: contiguous puts and gets by MPI RMA, for networks that do them without the target's
// help.
//
// One window over the region of each node, exposed by its first agent, locked by all for the whole
// run (passive target). Only predefined types and contiguous runs go through it; accumulates and
// fetch-adds never do, since MPI's would not exclude those of the shared-memory path. MPI's RMA has
// been wrong often enough (shared memory behind it, large windows), so a self-test at the start
// decides whether the path is used at all.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/handles.hpp"
#include "transport/footprint.hpp"
#include "world/node_memory.hpp"
#include "world/roles.hpp"

namespace lagoon::atoll::detail {

/// Whether all ranks make a window at the start. It is asked for, or is to be tried: only where
/// ATOLL_MEMORY bounds it, since RDMA networks pin all of a window's memory.
bool wants_rma_window(const Config& config, const Roles& roles) noexcept;
/// Collective over the compute ranks: seconds of an 8-byte message to the next node's leader and
/// back; the least of a few.
double seconds_of_round_trip(const Roles& roles);
/// Collective over `communicator`: whether the window stays, as the compute ranks know.
bool agreed_rma_choice(mpi::Comm communicator, bool use);

class RmaPath {
 public:
  struct Run {
    int node;
    std::int64_t remote;  // offset in the node's region
    std::byte* local;
    std::int64_t bytes;
  };

  /// Collective over `communicator`, a duplicate of `roles.everybody`. Errors of MPI make the path
  /// unusable, they are not raised.
  RmaPath(mpi::Comm communicator, const Roles& roles, NodeMemory& memory);
  RmaPath(const RmaPath&) = delete;
  RmaPath& operator=(const RmaPath&) = delete;
  /// Collective.
  ~RmaPath();

  /// Collective over the compute ranks: whether puts and gets between all neighbouring nodes'
  /// leaders arrive intact. Not to be used before.
  bool test();
  /// Seconds that a get of 8 bytes takes from the next node; the least of a few.
  double seconds_of_get();

  /// Whether such a patch goes well by RMA: short rows go better packed into messages.
  static bool serves(std::int64_t run_bytes, std::int64_t runs) noexcept;
  mpi::Request get(const Run& run);
  mpi::Request put(const Run& run);
  /// A put whose runs have all left the origin: known until it is complete at the target.
  void remember_put(int node, const Footprint& put);
  void complete_puts(int node);
  /// The same if a put touched part of that.
  void complete_puts_in(int node, const Footprint& touched);

 private:
  int target(int node) const {
    return roles_
        .agents[static_cast<std::size_t>(node) * static_cast<std::size_t>(roles_.agents_per_node)];
  }
  std::byte* scratch() const noexcept;

  const Roles& roles_;
  NodeMemory& memory_;
  mpi::Win window_ = mpi::win_null;
  bool usable_ = false;
  struct Puts {
    bool begun = false;              // since the last flush
    std::vector<Footprint> touched;  // that may not be complete
  };
  std::vector<Puts> puts_;  // by node
};

}  // namespace lagoon::atoll::detail
