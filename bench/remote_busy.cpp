// remote-busy: how long an operation takes while the rank that owns the memory, on another
// (virtual) node, sleeps in the kernel or computes without any call. Each operation is timed by
// itself and counts as done when it is complete at the target.
//
// The figure is of operations that come a millisecond apart, so that the agent may have gone to
// sleep; its peer "back to back" is of operations without a pause. The peer "MPI RMA" is that of
// plain MPI (a window of MPI_Win_allocate, flushed), before Atoll was started.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t edge = 64;
constexpr double pause_between = 1e-3;
constexpr double head_start = 5e-3;  // for rank 1 to be well into its work
constexpr std::size_t most = 20000;  // operations timed

struct Operation {
  std::string name;
  std::function<void()> run;
};

struct State {
  std::string name;
  int task;
  double seconds;
};

std::vector<State> states(const Settings& settings) {
  std::vector<State> list{{"asleep", 0, 0.2}, {"busy 200 ms", 1, 0.2}};
  if (!settings.quick) list.push_back({"busy 1 s", 1, 1.0});
  return list;
}

std::vector<Pair::Task> tasks() {
  return {[](std::int64_t micros) { doze(static_cast<double>(micros) * 1e-6); },
          [](std::int64_t micros) { compute(static_cast<double>(micros) * 1e-6); }};
}

// An operation that stalls gives one value a period, so a few periods make the median.
int periods(const Settings& settings, const State& state) {
  return settings.quick || state.seconds > 0.5 ? 1 : 3;
}

// Rank 1 starts on `state`; returns when it is well into it.
void begin(Pair& pair, const State& state) {
  pair.ask(state.task, static_cast<std::int64_t>(state.seconds * 1e6));
  doze(head_start);
}

// Adds the time of each `operation` that starts within `seconds` from now; at least one.
void time_each(const std::function<void()>& operation, double seconds, double pause,
               std::vector<double>& times) {
  const double end = now() + seconds;
  do {
    if (pause > 0.0) doze(pause);
    const double start = now();
    operation();
    times.push_back(now() - start);
  } while (now() < end && times.size() < most);
}

std::vector<Operation> operations_of(const Window& window, double* local) {
  return {{"get 8 B", [&window, local] { window.get(local, 1, 1, 0); }},
          {"put+fence 8 B", [&window, local] { window.put(local, 1, 1, 0); }},
          {"accumulate+fence 8 B", [&window, local] { window.accumulate(local, 1, 1, 0); }},
          {"fetch-add", [&window] { window.fetch_add(1, 1, 8); }},
          {"get 64x64", [&window, local] { window.get_patch(local, 1, 0); }},
          {"put+fence 64x64", [&window, local] { window.put_patch(local, 1, 0); }},
          {"accumulate+fence 64x64", [&window, local] { window.accumulate_patch(local, 1, 0); }}};
}

std::vector<Operation> operations_of(const atoll::Group& world, atoll::Array<double>& array,
                                     atoll::Array<std::int64_t>& integers, double* local) {
  const atoll::Index lo = array.distribution().patches(1).front().lo;
  const atoll::Index word = integers.distribution().patches(1).front().lo;
  const auto patch = [&](std::int64_t n) { return atoll::Patch{lo, {lo[0] + n, lo[1] + n}}; };
  std::vector<Operation> list;
  for (const std::int64_t n : {std::int64_t{1}, edge}) {
    const std::string text = n == 1 ? " 8 B" : " 64x64";
    list.push_back({"get" + text, [&, p = patch(n), local] { array.get(p, local); }});
    list.push_back({"put+fence" + text, [&, p = patch(n), local] {
                      array.put(p, local);
                      world.fence(1);
                    }});
    list.push_back({"accumulate+fence" + text, [&, p = patch(n), local] {
                      array.accumulate(p, local);
                      world.fence(1);
                    }});
    if (n == 1) list.push_back({"fetch-add", [&, word] { integers.fetch_add(word, 1); }});
  }
  return list;
}

}  // namespace

std::map<std::string, Samples> measure_one_sided_alone(const Settings& settings) {
  std::map<std::string, Samples> result;
  Window window(MPI_COMM_WORLD, 16 * edge * edge, Window::Kind::allocated);
  window.set_patch(edge, edge, 4 * edge);
  std::vector<double> buffer(edge * edge, 1.0);
  Pair pair(MPI_COMM_WORLD, tasks());
  pair.run([&] {
    for (const State& state : states(settings))
      for (const Operation& operation : operations_of(window, buffer.data())) {
        std::vector<double> times;
        for (int period = 0; period < periods(settings, state); ++period) {
          begin(pair, state);
          time_each(operation.run, 0.5 * state.seconds, pause_between, times);
        }
        result[state.name + " " + operation.name] = Samples(times);
      }
  });
  return result;
}

void remote_busy(Context& context) {
  atoll::World& world = context.world;
  const Settings& settings = context.settings;
  atoll::Array<double> array(world, {8 * edge, 8 * edge});
  atoll::Array<std::int64_t> integers(world, {64});
  std::vector<double> buffer(edge * edge, 1.0);
  world.sync();
  Pair pair(world.communicator(), tasks());
  pair.run([&] {
    for (const State& state : states(settings))
      for (const Operation& operation : operations_of(world, array, integers, buffer.data())) {
        std::vector<double> apart;
        std::vector<double> together;
        for (int period = 0; period < periods(settings, state); ++period) {
          begin(pair, state);
          time_each(operation.run, 0.4 * state.seconds, pause_between, apart);
          time_each(operation.run, 0.3 * state.seconds, 0.0, together);
        }
        const std::string name = state.name + " " + operation.name;
        context.report.latency(
            name, Samples(apart),
            {{"back to back", Samples(together)}, {"MPI RMA", context.alone.one_sided.at(name)}});
      }
  });
}

}  // namespace bench
