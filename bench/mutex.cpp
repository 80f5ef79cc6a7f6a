// mutex: all ranks take one mutex in turn and hold it for 0, 20 and 40 microseconds: time a turn.
// In a node beside a mutex of the system's threads in the same shared memory; between nodes with
// two ranks beside a round trip of MPI.
#include <pthread.h>

#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "atoll/mutexes.hpp"
#include "pair.hpp"
#include "ping_pong.hpp"
#include "workloads.hpp"

namespace bench {

void mutex(Context& context) {
  atoll::World& world = context.world;
  const bool in_node = world.nodes() == 1;
  atoll::Mutexes mutexes(world, world.rank() == 0 ? 1 : 0);
  const atoll::Memory memory(world, sizeof(pthread_mutex_t));
  auto* const threads = reinterpret_cast<pthread_mutex_t*>(memory.address(0));
  if (world.rank() == 0) {
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(threads, &shared);
    pthread_mutexattr_destroy(&shared);
  }
  world.sync();
  PingPong messages(world.communicator(), 8);
  const std::vector<int> held{0, 20, 40};
  std::vector<Pair::Task> tasks;
  const auto add = [&](auto take, auto let_go, double seconds) {
    tasks.push_back([&world, take, let_go, seconds](std::int64_t turns) {
      world.barrier();
      for (std::int64_t i = 0; i < turns; ++i) {
        take();
        if (seconds > 0) compute(seconds);
        let_go();
      }
      world.barrier();
    });
  };
  for (const int microseconds : held) {
    add([&] { mutexes.lock(0, 0); }, [&] { mutexes.unlock(0, 0); }, microseconds * 1e-6);
    if (in_node)
      add([=] { pthread_mutex_lock(threads); }, [=] { pthread_mutex_unlock(threads); },
          microseconds * 1e-6);
    else
      tasks.push_back([&](std::int64_t n) {
        if (world.rank() < 2) messages.round_trips(8, n);
      });
  }
  Pair pair(world.communicator(), tasks);
  pair.run([&] {
    const std::vector<Contender> all = pair.contenders();
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto s = race(context.settings, {all[2 * i], all[2 * i + 1]}, paired_batch);
      const double turn = 1.0 / world.size();
      context.report.latency(
          "mutex held for " + std::to_string(held[i]) + " us by " + std::to_string(world.size()),
          s[0].scaled(turn),
          {in_node ? Rival{"pthread mutex", s[1].scaled(turn)} : Rival{"MPI round trip", s[1]}});
    }
  });
  mutexes.destroy();
}

}  // namespace bench
