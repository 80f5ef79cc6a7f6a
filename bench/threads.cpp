// threads: 8 B get, put and accumulate of another rank's block by several threads of a rank at
// once, beside one thread alone: so many times its rate is the limit, where there are as many
// cores. In one node no lock lies on their way; between nodes one a connection.
#include <string>
#include <thread>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "plain.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t span = 512;  // elements of a thread, which caches hold
constexpr int most_threads = 4;
constexpr double batch = 2e-2;  // long against the start of threads

/// A part of the last rank's block for each thread.
class Parts {
 public:
  explicit Parts(const atoll::World& world)
      : array(world, {world.size() * most_threads * span}),
        first_((world.size() - 1) * most_threads * span) {}  // even blocks

  atoll::Patch at(int thread, std::int64_t i) const {
    const std::int64_t place = first_ + thread * span + (i & (span - 1));
    return {{place}, {place + 1}};
  }

  atoll::Array<double> array;

 private:
  std::int64_t first_;
};

/// `body(thread, i)` for all i by each of the threads.
template <class Body>
Contender by_threads(int threads, Body body) {
  return {[=](std::int64_t iterations) {
    const auto work = [&](int thread) {
      for (std::int64_t i = 0; i < iterations; ++i) body(thread, i);
    };
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
    work(0);
  }};
}

template <class Body>
void race_threads(Context& context, const std::string& name, const Body& body) {
  const auto s =
      race(context.settings,
           {by_threads(1, body), by_threads(2, body), by_threads(most_threads, body)}, batch);
  context.report.rate(name + ", 2 threads", 1, s[1].scaled(1.0 / 2), {{"one thread", s[0]}});
  context.report.rate(name + ", 4 threads", 1, s[2].scaled(1.0 / 4), {{"one thread", s[0]}});
}

}  // namespace

void threads(Context& context) {
  atoll::World& world = context.world;
  Parts parts(world);
  atoll::fill(parts.array, 0.0);
  const std::string place = world.nodes() == 1 ? "node " : "remote ";
  Pair pair(world.communicator(), {[&](std::int64_t) { world.barrier(); }});
  pair.run([&] {
    pair.ask(0, 0);
    race_threads(context, place + "get 8 B", [&](int thread, std::int64_t i) {
      double value = 0.0;
      parts.array.get(parts.at(thread, i), &value);
    });
    race_threads(context, place + "put 8 B", [&](int thread, std::int64_t i) {
      const double value = 1.0;
      parts.array.put(parts.at(thread, i), &value);
    });
    race_threads(context, place + "accumulate 8 B", [&](int thread, std::int64_t i) {
      const double value = 1.0;
      parts.array.accumulate(parts.at(thread, i), &value, 1.0);
    });
    world.barrier();
  });
}

}  // namespace bench
