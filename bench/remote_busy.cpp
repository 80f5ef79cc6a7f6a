// remote-busy, mpi-busy: how long an operation takes while the rank that owns the memory, on
// another node, waits in a barrier (the idle target), sleeps in the kernel, or computes without any
// call. Each operation is timed by itself and counts as done when it is complete at the target.
//
// The figure is of operations that come a millisecond apart, so that the agent may have gone to
// sleep; its peer "back to back" is of operations without a pause (absent where they stall). The
// peer "MPI RMA" is that of plain MPI (a window of MPI_Win_allocate, flushed), before Atoll was
// started; mpi-busy takes these alone.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "one_sided.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr double pause_between = 1e-3;
constexpr double head_start = 5e-3;  // for rank 1 to be well into its work
constexpr std::size_t most = 20000;  // operations timed

enum Task : int { wait_here, sleep_first, compute_first };

struct State {
  std::string name;
  Task task;
  double seconds;
};

std::vector<State> states(const Settings& settings) {
  std::vector<State> list{{"waiting", wait_here, 0.2},
                          {"asleep", sleep_first, 0.2},
                          {"busy 200 ms", compute_first, 0.2}};
  if (!settings.quick) {
    list.push_back({"busy 50 ms", compute_first, 0.05});
    list.push_back({"busy 1 s", compute_first, 1.0});
  }
  return list;
}

// Each ends in the barrier: without agents that is where requests are served at last.
std::vector<Pair::Task> tasks(const std::function<void()>& barrier) {
  const auto seconds = [](std::int64_t micros) { return static_cast<double>(micros) * 1e-6; };
  return {[barrier](std::int64_t) { barrier(); },
          [barrier, seconds](std::int64_t micros) {
            doze(seconds(micros));
            barrier();
          },
          [barrier, seconds](std::int64_t micros) {
            compute(seconds(micros));
            barrier();
          }};
}

// Adds the time of each `operation` that starts within `seconds` from now.
void time_each(const std::function<void()>& operation, double seconds, double pause,
               std::vector<double>& times) {
  const double end = now() + seconds;
  while (now() < end && times.size() < most) {
    if (pause > 0.0) doze(pause);
    const double start = now();
    operation();
    times.push_back(now() - start);
  }
}

struct Times {
  Samples apart;
  std::vector<double> together;  // empty where operations wait for the target
};

// An operation that stalls gives one value a period, so that a few periods make the median.
Times measure(Pair& pair, const std::function<void()>& barrier, const Settings& settings,
              const State& state, const Operation& operation) {
  const int periods = settings.quick ? 1 : static_cast<int>(std::ceil(0.6 / state.seconds));
  std::vector<double> apart;
  std::vector<double> together;
  for (int period = 0; period < periods; ++period) {
    pair.ask(state.task, static_cast<std::int64_t>(state.seconds * 1e6));
    doze(head_start);
    const double start = now();
    time_each(operation.run, 0.4 * state.seconds, pause_between, apart);
    if (now() < start + 0.6 * state.seconds)
      time_each(operation.run, 0.3 * state.seconds, 0.0, together);
    barrier();
  }
  return {Samples(apart), together};
}

}  // namespace

std::map<std::string, Samples> measure_one_sided_alone(const Settings& settings,
                                                       MPI_Comm communicator) {
  std::map<std::string, Samples> result;
  WindowTarget target(communicator);
  const auto barrier = [communicator] { MPI_Barrier(communicator); };
  Pair pair(communicator, tasks(barrier));
  pair.run([&] {
    for (const State& state : states(settings))
      for (const Operation& operation : target.operations())
        result[state.name + " " + operation.name] =
            measure(pair, barrier, settings, state, operation).apart;
  });
  return result;
}

void mpi_busy(AloneContext& context) {
  const auto times = measure_one_sided_alone(context.settings, context.communicator);
  for (const auto& [name, samples] : times) context.report.latency(name, samples, {});
}

void remote_busy(Context& context) {
  atoll::World& world = context.world;
  ArrayTarget target(world);
  world.sync();
  const auto barrier = [&world] { world.barrier(); };
  Pair pair(world.communicator(), tasks(barrier));
  pair.run([&] {
    for (const State& state : states(context.settings))
      for (const Operation& operation : target.operations()) {
        const Times times = measure(pair, barrier, context.settings, state, operation);
        const std::string name = state.name + " " + operation.name;
        std::vector<Rival> rivals;
        if (!times.together.empty()) rivals.push_back({"back to back", Samples(times.together)});
        rivals.push_back({"MPI RMA", context.alone.one_sided.at(name)});
        context.report.latency(name, times.apart, rivals);
      }
  });
}

}  // namespace bench
