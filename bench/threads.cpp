// threads: 8 B get, put and accumulate of another rank's block by several threads of a rank at
// once, beside one thread alone: so many times its rate is the limit, where there are as many
// cores. In one node no lock lies on their way, but for accumulates that of 64 KiB around them;
// between nodes that of all of a rank's connections.
#include <string>
#include <thread>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "plain.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t span = 512;                       // elements of a thread, which caches hold
constexpr std::int64_t spacing = std::int64_t{1} << 17;  // 1 MiB from thread to thread
constexpr int most_threads = 4;
constexpr double batch = 2e-2;  // long against the start of threads

atoll::Patch place(int owner, int thread, std::int64_t i) {
  const std::int64_t at = (owner * most_threads + thread) * spacing + (i & (span - 1));
  return {{at}, {at + 1}};
}

/// `body(thread, i)` for all i by each of the threads. Each has a copy of its own: what one thread
/// writes to its stack would lie beside what others read.
template <class Body>
Contender by_threads(int threads, Body body) {
  return {[=](std::int64_t iterations) {
    std::vector<std::jthread> all;
    for (int thread = 0; thread < threads; ++thread)
      all.emplace_back([=] {
        for (std::int64_t i = 0; i < iterations; ++i) body(thread, i);
      });
  }};
}

template <class Body>
void race_threads(Context& context, const std::string& name, const Body& body) {
  const std::vector<double> numbers(most_threads * spacing, 1.0);
  const auto copy = [from = numbers.data()](int thread, std::int64_t i) {
    double value = 0.0;
    plain::copy(&value, from + thread * spacing + (i & (span - 1)), sizeof value);
  };
  const auto s = race(context.settings,
                      {by_threads(1, body), by_threads(2, body), by_threads(most_threads, body),
                       by_threads(1, copy), by_threads(most_threads, copy)},
                      batch);
  context.report.rate(name + ", 2 threads", 1, s[1].scaled(1.0 / 2), {{"one thread", s[0]}});
  context.report.rate(name + ", 4 threads", 1, s[2].scaled(1.0 / most_threads),
                      {{"one thread", s[0]},
                       {"memcpy 8 B, 4 threads", s[4].scaled(1.0 / most_threads)},
                       {"memcpy 8 B, one thread", s[3]}});
}

}  // namespace

void threads(Context& context) {
  atoll::World& world = context.world;
  const int owner = world.size() - 1;
  atoll::Array<double> array(world, {world.size() * most_threads * spacing});
  const std::string where = world.nodes() == 1 ? "node " : "remote ";
  Pair pair(world.communicator(), {[&](std::int64_t) { world.barrier(); }});
  pair.run([&] {
    pair.ask(0, 0);
    atoll::Array<double>* const a = &array;
    race_threads(context, where + "get 8 B", [=](int thread, std::int64_t i) {
      double value = 0.0;
      a->get(place(owner, thread, i), &value);
    });
    race_threads(context, where + "put 8 B", [=](int thread, std::int64_t i) {
      const double value = 1.0;
      a->put(place(owner, thread, i), &value);
    });
    race_threads(context, where + "accumulate 8 B", [=](int thread, std::int64_t i) {
      const double value = 1.0;
      a->accumulate(place(owner, thread, i), &value, 1.0);
    });
    world.barrier();
  });
}

}  // namespace bench
