// The workloads, one group a file. Each is collective over a world of two ranks (agent_cpu and
// those of mirrored arrays: of any number); rank 0 measures and reports, rank 1 (with more: the
// last one) owns the memory that is read and written. Those named mpi_* measure plain MPI, before
// Atoll is started.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "atoll/world.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace bench {

/// What MPI does by itself, taken before Atoll was started: Atoll's agents also drive MPI, which
/// would lend MPI's own operations a progress that they do not have. Filled on rank 0 only.
struct Alone {
  std::map<std::int64_t, Samples> round_trips;  ///< by message size
  std::map<std::string, Samples> one_sided;     ///< by the figure of `remote_busy`
  std::map<std::int64_t, Samples> allreduce;    ///< by bytes, see `merge`
};

struct Context {
  const Settings& settings;
  Report& report;
  atoll::World& world;
  const Alone& alone;
  const std::vector<pid_t>& processes;  ///< of my node, where I am its first rank
};

struct AloneContext {
  const Settings& settings;
  Report& report;
  MPI_Comm communicator;  ///< the first rank of each node; within one: its two ranks
};

// Inside a node.
void node_latency(Context& context);
void node_bandwidth(Context& context);
void node_strided(Context& context);
void node_atomics(Context& context);
void node_create(Context& context);
void node_collectives(Context& context);
void node_halo(Context& context);
void ga_calls(Context& context);

// Between nodes.
void remote_latency(Context& context);
void remote_bandwidth(Context& context);
void remote_busy(Context& context);
void remote_slowdown(Context& context);
void remote_overlap(Context& context);
void remote_small(Context& context);
void remote_multiply(Context& context);
void remote_halo(Context& context);
void ga_mirrored(Context& context);
void agent_cpu(Context& context);

// Mirrored arrays on two or more nodes.
void mirrored_get(Context& context);
void merge(Context& context);
void mirrored_multiply(Context& context);

// Wherever the ranks are.
void fused_add(Context& context);
void mutex(Context& context);
void threads(Context& context);
void small_patches(Context& context);
void matmul(Context& context);
void block_matmul(Context& context);
void eigen(Context& context);
void private_file(Context& context);
void shared_file(Context& context);
void small_requests(Context& context);
void disk_array(Context& context);
void disk_commit(Context& context);
void checkpoint(Context& context);
void disk_overlap(Context& context);

// Plain MPI, within a node and between nodes.
void mpi_node(AloneContext& context);
void mpi_small(AloneContext& context);
void mpi_busy(AloneContext& context);
void mpi_overlap(AloneContext& context);
void mpi_multiply(AloneContext& context);

/// The message sizes of `remote_bandwidth` and, with 8 B, of all ping-pongs.
std::vector<std::int64_t> remote_sizes(const Settings& settings);
/// The bytes of the arrays of `merge`.
std::vector<std::int64_t> merge_sizes(const Settings& settings);
/// MPI_Allreduce of as many bytes, for `Alone`. Collective over a communicator of one rank a node.
std::map<std::int64_t, Samples> measure_allreduce_alone(const Settings& settings,
                                                        MPI_Comm communicator);
/// The other two parts of `Alone`. Collective over a communicator of two ranks.
std::map<std::int64_t, Samples> measure_round_trips_alone(const Settings& settings,
                                                          MPI_Comm communicator);
std::map<std::string, Samples> measure_one_sided_alone(const Settings& settings,
                                                       MPI_Comm communicator);

/// Seconds a batch should last where rank 1 takes part: long against its start.
inline constexpr double paired_batch = 5e-3;

/// A contender that calls `body(i)` in a loop; the body is compiled into the loop.
template <class Body>
Contender loop(Body body) {
  return {[body = std::move(body)](std::int64_t iterations) mutable {
    for (std::int64_t i = 0; i < iterations; ++i) body(i);
  }};
}

}  // namespace bench
