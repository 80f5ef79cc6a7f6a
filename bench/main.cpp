// atoll_bench: the benchmarks in C++. Run with two ranks; what is not about one rank and another
// (`any` below) with any number:
//   mpiexec -n 2 atoll_bench [--quick] [--json FILE] [--largest BYTES] [--cores free|own|apart]
//                            [--priority] [WORKLOAD...]
//
// Inside a node (ATOLL_NODES unset):
//   node-latency      8 B get, put, accumulate to a neighbour's block
//   node-bandwidth    the same, contiguous, 8 B to 64 MiB
//   node-strided      a 512x512 patch and a 512x1 column of a 4096x4096 array
//   node-atomics      fetch-add and counter, one rank alone and both at once
//   node-collectives  reductions and broadcasts of 1 to 10^6 numbers
//   node-create       create and destroy of a 1024x1024 array
//   node-halo         halo update of a 2048x2048 array, one row or column wide
//   ga                Global Arrays' names beside the calls of C++ that they make
// Between nodes (ATOLL_NODES=2, or two hosts):
//   remote-latency    8 B and 64x64 operations to a rank waiting in a barrier
//   remote-bandwidth  8 B to 64 MiB contiguous, and a 512x512 patch, likewise
//   remote-busy       operations to a rank that waits, sleeps in the kernel, or computes
//   remote-slowdown   what the computation of that rank loses
//   remote-overlap    how much of a transfer's time computation hides
//   remote-small      many small nonblocking operations
//   remote-multiply   a get-compute-update matrix multiply
//   remote-halo       the halo update of node-halo
//   ga-mirrored       Global Arrays' names of mirrored arrays, likewise as in ga
//   agent-cpu         processor time of an idle world with its agents; any number of ranks
// On two or more nodes, by name only, with any number of ranks:
//   mirrored-get      get of a mirrored array, and of a distributed one from another node
//   merge             merge of a mirrored array by size, beside MPI_Allreduce of the leaders
//   mirrored-multiply a 1025x1025 multiply, of mirrored and of distributed matrices
// Anywhere, by name only, with any number of ranks:
//   fused-add         a = alpha b + beta c by one rank, beside a loop written for it
//   mutex             one mutex taken by all ranks in turn
//   threads           8 B operations by several threads of a rank at once
//   matmul            products of matrices, beside the ranks' own DGEMMs and pdgemm
//   block-matmul      block-sparse products, beside dense ones
//   eigen             eigenvalues and vectors, beside pdsyevd
//   private-file      records of a file of each rank's own, beside pread and pwrite
//   shared-file       requests of a file of all ranks, likewise
//   small-requests    of both, begun and waited for at once
//   disk-array        sections of a disk array, likewise
//   disk-commit       one tile of a disk array of millions written, and such an array opened
//   checkpoint        an array saved on the device, beside pwrite past the page cache
//   disk-overlap      waiting for sections of a disk array after computing
// By name only, plain MPI without Atoll, for one thread where nothing else is asked for:
//   mpi-node                            within a node
//   mpi-small, mpi-busy, mpi-overlap, mpi-multiply    between nodes
// Without names: those marked below that fit the nodes at hand. With ATOLL_PROGRESS=rank start the
// progress ranks beside the two. Each figure stands beside its limit or rival, measured in the same
// run in turn with it; docs/benchmarks.md says how to read them; run.py (one machine) and hosts.py
// (two hosts) run everything and compare with the goals.
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/atoll.hpp"
#include "before_world.hpp"
#include "placement.hpp"
#include "workloads.hpp"

namespace {

// Where a workload runs.
enum class Place {
  node,       // two ranks on one node
  pair,       // a rank on each of two nodes
  two_nodes,  // any number of ranks on two nodes
  nodes,      // any number of ranks on two or more nodes
  any,        // any number of ranks on any number of nodes
};

struct Workload {
  std::string_view name;
  Place place;
  bool unasked;  // run when no workload is named
  void (*run)(bench::Context&);
  void (*alone)(bench::AloneContext&) = nullptr;  // instead of `run`: without a World
};

constexpr Workload workloads[] = {
    {"node-latency", Place::node, true, bench::node_latency},
    {"node-bandwidth", Place::node, true, bench::node_bandwidth},
    {"node-strided", Place::node, true, bench::node_strided},
    {"node-atomics", Place::node, true, bench::node_atomics},
    {"node-collectives", Place::node, true, bench::node_collectives},
    {"node-create", Place::node, true, bench::node_create},
    {"node-halo", Place::node, true, bench::node_halo},
    {"ga", Place::node, true, bench::ga_calls},
    {"remote-latency", Place::pair, true, bench::remote_latency},
    {"remote-bandwidth", Place::pair, true, bench::remote_bandwidth},
    {"remote-busy", Place::pair, true, bench::remote_busy},
    {"remote-slowdown", Place::pair, false, bench::remote_slowdown},
    {"remote-overlap", Place::pair, false, bench::remote_overlap},
    {"remote-small", Place::pair, true, bench::remote_small},
    {"remote-multiply", Place::pair, false, bench::remote_multiply},
    {"remote-halo", Place::pair, true, bench::remote_halo},
    {"ga-mirrored", Place::pair, true, bench::ga_mirrored},
    {"agent-cpu", Place::two_nodes, true, bench::agent_cpu},
    {"mirrored-get", Place::nodes, false, bench::mirrored_get},
    {"merge", Place::nodes, false, bench::merge},
    {"mirrored-multiply", Place::nodes, false, bench::mirrored_multiply},
    {"fused-add", Place::any, false, bench::fused_add},
    {"mutex", Place::any, false, bench::mutex},
    {"threads", Place::any, false, bench::threads},
    {"small-patches", Place::any, false, bench::small_patches},
    {"matmul", Place::any, false, bench::matmul},
    {"block-matmul", Place::any, false, bench::block_matmul},
    {"eigen", Place::any, false, bench::eigen},
    {"private-file", Place::any, false, bench::private_file},
    {"shared-file", Place::any, false, bench::shared_file},
    {"small-requests", Place::any, false, bench::small_requests},
    {"disk-array", Place::any, false, bench::disk_array},
    {"disk-commit", Place::any, false, bench::disk_commit},
    {"checkpoint", Place::any, false, bench::checkpoint},
    {"disk-overlap", Place::any, false, bench::disk_overlap},
    {"mpi-node", Place::node, false, nullptr, bench::mpi_node},
    {"mpi-small", Place::pair, false, nullptr, bench::mpi_small},
    {"mpi-busy", Place::pair, false, nullptr, bench::mpi_busy},
    {"mpi-overlap", Place::pair, false, nullptr, bench::mpi_overlap},
    {"mpi-multiply", Place::pair, false, nullptr, bench::mpi_multiply},
};

const Workload* find(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(workloads, [name](const Workload& w) { return w.name == name; });
  return found == std::end(workloads) ? nullptr : found;
}

// What a workload lacks for so many nodes; empty when nothing.
std::string wrong_nodes(const Workload& workload, int nodes) {
  const std::string name(workload.name);
  if (workload.place == Place::node)
    return nodes == 1 ? "" : name + " needs one node: unset ATOLL_NODES";
  if (workload.place == Place::any) return {};
  if (workload.place == Place::nodes)
    return nodes >= 2 ? "" : name + " needs two or more nodes: set ATOLL_NODES=2";
  return nodes == 2 ? "" : name + " needs two nodes: set ATOLL_NODES=2";
}

bool needs_two_ranks(const Workload& workload) {
  return workload.place == Place::node || workload.place == Place::pair;
}

struct Arguments {
  bench::Settings settings;
  std::vector<const Workload*> chosen;
  std::string wrong;  // what is wrong with the command line; empty when nothing
};

bool take_number(const std::string& text, std::int64_t& value) {
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, value).ptr == end && value >= 8;
}

bool take_cores(const std::string& text, bench::Cores& cores) {
  constexpr std::pair<std::string_view, bench::Cores> names[] = {
      {"free", bench::Cores::free}, {"own", bench::Cores::own}, {"apart", bench::Cores::apart}};
  for (const auto& [name, value] : names)
    if (name == text) {
      cores = value;
      return true;
    }
  return false;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string next = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--quick") {
      arguments.settings.quick = true;
    } else if (word == "--priority") {
      bench::take_priority();
    } else if (word == "--json" && !next.empty()) {
      arguments.settings.json = argv[++i];
    } else if (word == "--largest" || word == "--cores") {
      const bool taken = word == "--largest" ? take_number(next, arguments.settings.largest)
                                             : take_cores(next, arguments.settings.cores);
      if (!taken) arguments.wrong = "wrong value '" + next + "' of " + std::string(word);
      ++i;
    } else if (const Workload* workload = find(word)) {
      arguments.chosen.push_back(workload);
    } else {
      arguments.wrong = "unknown argument '" + std::string(word) + "'";
    }
  }
  return arguments;
}

int fail(int rank, const std::string& message) {
  if (rank == 0) std::fprintf(stderr, "atoll_bench: %s\n", message.c_str());
  return 2;
}

// What needs no World, or must be measured before there is one.
bench::Alone run_alone(const Arguments& arguments, const bench::BeforeWorld& before,
                       bench::Report& report) {
  bench::Alone alone;
  const bench::Settings& settings = arguments.settings;
  const auto wants = [&](auto workload) {
    return std::ranges::any_of(arguments.chosen,
                               [&](const Workload* w) { return w->run == workload; });
  };
  if (wants(bench::merge) && before.firsts() != MPI_COMM_NULL)
    alone.allreduce = bench::measure_allreduce_alone(settings, before.firsts());
  if (before.nodes() == 2 && before.firsts() != MPI_COMM_NULL) {
    if (wants(bench::remote_latency) || wants(bench::remote_bandwidth))
      alone.round_trips = bench::measure_round_trips_alone(settings, before.firsts());
    if (wants(bench::remote_busy))
      alone.one_sided = bench::measure_one_sided_alone(settings, before.firsts());
  }
  const MPI_Comm two = before.nodes() == 1 ? MPI_COMM_WORLD : before.firsts();
  bench::AloneContext context{settings, report, two};
  for (const Workload* workload : arguments.chosen)
    if (workload->alone != nullptr && two != MPI_COMM_NULL) workload->alone(context);
  bench::BeforeWorld::wait_asleep();
  return alone;
}

// The rest, by the ranks that compute. The exit status.
int run_in_world(const Arguments& arguments, const bench::BeforeWorld& before,
                 const bench::Alone& alone, bench::Report& report, std::string& setting) {
  atoll::World world(MPI_COMM_WORLD);  // a progress rank never leaves this line
  bench::Context context{arguments.settings, report, world, alone, before.processes()};
  for (const Workload* workload : arguments.chosen) {
    if (workload->run == nullptr) continue;
    if (world.size() != 2 && needs_two_ranks(*workload))
      return fail(world.rank(), std::string(workload->name) +
                                    " needs two ranks that compute, not " +
                                    std::to_string(world.size()));
    workload->run(context);
    world.sync();
  }
  setting = atoll::describe_world();
  return 0;
}

// What MPI must be initialized for: Atoll's agents, and MPI's own thread, where it is asked for.
int threads_for(const Arguments& arguments) {
  const bool plain = !arguments.chosen.empty() &&
                     std::ranges::all_of(arguments.chosen, [](const Workload* workload) {
                       return workload->alone != nullptr;
                     });
  const bool own_thread = std::getenv("MPIR_CVAR_ASYNC_PROGRESS") != nullptr;
  return plain && !own_thread ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
}

int run(Arguments arguments) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!arguments.wrong.empty()) return fail(rank, arguments.wrong);
  const bench::BeforeWorld before;
  if (arguments.chosen.empty())
    for (const Workload& workload : workloads)
      if (workload.unasked && wrong_nodes(workload, before.nodes()).empty())
        arguments.chosen.push_back(&workload);
  for (const Workload* workload : arguments.chosen)
    if (const std::string wrong = wrong_nodes(*workload, before.nodes()); !wrong.empty())
      return fail(rank, wrong);
    else if (workload->alone != nullptr && ranks < 2)
      return fail(rank, std::string(workload->name) + " needs two ranks");
  bench::Report report;
  std::string setting = "plain MPI";
  const bench::Alone alone = run_alone(arguments, before, report);
  if (std::ranges::any_of(arguments.chosen, [](const Workload* w) { return w->run != nullptr; }))
    if (const int status = run_in_world(arguments, before, alone, report, setting); status != 0)
      return status;
  if (rank == 0 && !arguments.settings.json.empty())
    report.write_json(arguments.settings.json, setting);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads_for(arguments), &provided);
  int status = 1;
  try {
    status = run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll_bench: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
