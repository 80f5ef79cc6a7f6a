// agent-cpu: what part of a core the processes of a world burn while nothing happens, and a rank
// while it waits for another one in a barrier (beside MPI_Barrier). Any number of ranks.
//
// While the ranks sleep in the kernel, all processor time of a node is that of its agents: threads
// of its ranks, or progress ranks, which count too.
#include <string>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "processor_time.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

// Per cent of a core that `used` seconds of processor time grow by during `wait`.
template <class Used, class Wait>
double load(Used&& used, Wait&& wait) {
  const double start = now();
  const double before = used();
  wait();
  return 100.0 * (used() - before) / (now() - start);
}

}  // namespace

void agent_cpu(Context& context) {
  const atoll::World& world = context.world;
  const double seconds = context.settings.quick ? 1.0 : 5.0;
  const bool leads = world.rank() == 0;
  world.sync();
  doze(0.1);  // for the agents to see that there is no more traffic
  // Empty on all ranks but the first of each node.
  const std::span<const pid_t> processes(context.processes);
  const double node = load([&] { return process_seconds(processes); }, [&] { doze(seconds); });
  const double busiest = world.reduce(node, atoll::Reduction::maximum);
  const double all = world.reduce(node, atoll::Reduction::sum);
  // Everybody waits for rank 0, which sleeps.
  const auto waiting = [&](auto&& barrier) {
    const double mine = load([] { return process_seconds(); },
                             [&] {
                               if (leads) doze(seconds);
                               barrier();
                             });
    return world.reduce(leads ? 0.0 : mine, atoll::Reduction::maximum);
  };
  const double in_atoll = waiting([&] { world.barrier(); });
  const double in_mpi = waiting([&] { MPI_Barrier(world.communicator()); });
  if (!leads) return;
  const std::string unit = "% of a core";
  context.report.add({"idle node with agent, CPU", unit, busiest, busiest, {}});
  context.report.add({"idle world, CPU of all agents", unit, all, all, {}});
  context.report.add({"rank waiting in barrier, CPU",
                      unit,
                      in_atoll,
                      in_atoll,
                      {{"MPI_Barrier", in_mpi, in_mpi}}});
}

}  // namespace bench
