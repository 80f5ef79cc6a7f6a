// node-collectives: reductions and broadcasts of 1 to 10^6 doubles in a node, beside MPI's.
#include <span>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

void node_collectives(Context& context) {
  const std::vector<std::int64_t> counts =
      context.settings.quick ? std::vector<std::int64_t>{1, 100, 10000}
                             : std::vector<std::int64_t>{1, 10, 100, 1000, 10000, 100000, 1000000};
  const atoll::World& world = context.world;
  const MPI_Comm communicator = world.communicator();
  std::vector<double> numbers(static_cast<std::size_t>(counts.back()), 0.0);
  std::vector<Pair::Task> tasks;
  const auto add = [&](auto way) {
    tasks.push_back([way](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) way();
    });
  };
  for (const std::int64_t count : counts) {
    const std::span<double> part(numbers.data(), static_cast<std::size_t>(count));
    const int length = static_cast<int>(count);
    add([&world, part] { world.reduce(part); });
    add([communicator, part, length] {
      MPI_Allreduce(MPI_IN_PLACE, part.data(), length, MPI_DOUBLE, MPI_SUM, communicator);
    });
    add([&world, part] { world.broadcast(part, 0); });
    add([communicator, part, length] {
      MPI_Bcast(part.data(), length, MPI_DOUBLE, 0, communicator);
    });
  }
  Pair pair(communicator, tasks);
  pair.run([&] {
    const std::vector<Contender> all = pair.contenders();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto first = all.begin() + 4 * static_cast<std::ptrdiff_t>(i);
      const auto s = race(context.settings, {first, first + 4}, paired_batch);
      const std::string text =
          std::to_string(counts[i]) + (counts[i] == 1 ? " double" : " doubles");
      context.report.latency("node reduce " + text, s[0], {{"MPI_Allreduce", s[1]}});
      context.report.latency("node broadcast " + text, s[2], {{"MPI_Bcast", s[3]}});
    }
  });
}

}  // namespace bench
