// agent-cpu: what part of a core a rank burns with its agent while nothing happens, and while it
// waits for another rank in a barrier (beside MPI_Barrier).
#include <sys/resource.h>

#include <string>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Processor time of this process, all threads.
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

// Per cent of a core that the process takes during `wait`.
template <class Wait>
double load(Wait&& wait) {
  const double start = now();
  const double used = processor_seconds();
  wait();
  return 100.0 * (processor_seconds() - used) / (now() - start);
}

}  // namespace

void agent_cpu(Context& context) {
  const atoll::World& world = context.world;
  const double seconds = context.settings.quick ? 1.0 : 5.0;
  const bool leads = world.rank() == 0;
  world.sync();
  const double idle = world.reduce(load([&] { doze(seconds); }), atoll::Reduction::maximum);
  // Rank 1 waits for rank 0, which sleeps.
  const auto waiting = [&](auto&& barrier) {
    const double mine = load([&] {
      if (leads) doze(seconds);
      barrier();
    });
    return world.reduce(leads ? 0.0 : mine, atoll::Reduction::maximum);
  };
  const double in_atoll = waiting([&] { world.barrier(); });
  const double in_mpi = waiting([&] { MPI_Barrier(world.communicator()); });
  if (!leads) return;
  context.report.add({"idle rank with agent, CPU", "% of a core", idle, idle, {}});
  context.report.add({"rank waiting in barrier, CPU",
                      "% of a core",
                      in_atoll,
                      in_atoll,
                      {{"MPI_Barrier", in_mpi, in_mpi}}});
}

}  // namespace bench
