// atoll_bench: the benchmarks in C++. Run with two ranks:
//   mpiexec -n 2 atoll_bench [--quick] [--json FILE] [WORKLOAD...]
//
// Inside a node (ATOLL_NODES unset):
//   node-latency      8 B get, put, accumulate to a neighbour's block
//   node-bandwidth    the same, contiguous, 8 B to 64 MiB
//   node-strided      a 512x512 patch and a 512x1 column of a 4096x4096 array
//   node-atomics      fetch-add and counter, one rank alone and both at once
//   node-create       create and destroy of a 1024x1024 array
// Between virtual nodes (ATOLL_NODES=2):
//   remote-latency    8 B and 64x64 operations to a rank waiting in a barrier
//   remote-bandwidth  8 B to 64 MiB contiguous, and a 512x512 patch, likewise
//   remote-busy       operations to a rank that sleeps in the kernel or computes
//   agent-cpu         processor time of an idle rank with its agent
//   merge             merge of a mirrored array, get of one
// Without names: all those that fit the nodes at hand. Each figure stands beside its limit or
// rival, measured in the same run in turn with it; docs/benchmarks.md says how to read them, and
// run.py runs everything and compares with the goals.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/atoll.hpp"
#include "workloads.hpp"

namespace {

struct Workload {
  std::string_view name;
  void (*run)(bench::Context&);
  int nodes;
};

constexpr Workload workloads[] = {
    {"node-latency", bench::node_latency, 1},
    {"node-bandwidth", bench::node_bandwidth, 1},
    {"node-strided", bench::node_strided, 1},
    {"node-atomics", bench::node_atomics, 1},
    {"node-create", bench::node_create, 1},
    {"remote-latency", bench::remote_latency, 2},
    {"remote-bandwidth", bench::remote_bandwidth, 2},
    {"remote-busy", bench::remote_busy, 2},
    {"agent-cpu", bench::agent_cpu, 2},
    {"merge", bench::merge, 2},
};

const Workload* find(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(workloads, [name](const Workload& w) { return w.name == name; });
  return found == std::end(workloads) ? nullptr : found;
}

struct Arguments {
  bench::Settings settings;
  std::vector<const Workload*> chosen;
  std::string wrong;  // what is wrong with the command line; empty when nothing
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      arguments.settings.quick = true;
    } else if (word == "--json" && i + 1 < argc) {
      arguments.settings.json = argv[++i];
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

int run(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Arguments arguments = parse(argc, argv);
  if (!arguments.wrong.empty()) return fail(rank, arguments.wrong);
  if (size != 2) return fail(rank, "needs two ranks: mpiexec -n 2 atoll_bench");

  const auto wants = [&](auto workload) {
    return arguments.chosen.empty() ||
           std::ranges::any_of(arguments.chosen,
                               [&](const Workload* w) { return w->run == workload; });
  };
  const bool between_nodes = !arguments.chosen.empty() || std::getenv("ATOLL_NODES") != nullptr;
  bench::Alone alone;
  if (between_nodes && (wants(bench::remote_latency) || wants(bench::remote_bandwidth)))
    alone.round_trips = bench::measure_round_trips_alone(arguments.settings);
  if (between_nodes && wants(bench::remote_busy))
    alone.one_sided = bench::measure_one_sided_alone(arguments.settings);

  atoll::World world(MPI_COMM_WORLD);
  const int nodes = world.nodes();
  if (arguments.chosen.empty())
    for (const Workload& workload : workloads)
      if (workload.nodes == nodes) arguments.chosen.push_back(&workload);
  bench::Report report;
  bench::Context context{arguments.settings, report, world, alone};
  for (const Workload* workload : arguments.chosen) {
    if (workload->nodes != nodes)
      return fail(
          rank, std::string(workload->name) + (nodes == 1 ? " needs two nodes: set ATOLL_NODES=2"
                                                          : " needs one node: unset ATOLL_NODES"));
    workload->run(context);
    world.sync();
  }
  if (rank == 0 && !arguments.settings.json.empty())
    report.write_json(arguments.settings.json, atoll::describe_world());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int status = 1;
  try {
    status = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll_bench: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
