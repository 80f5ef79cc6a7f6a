// remote-slowdown: what a rank's computation loses while its agent serves another node: processor
// time of the computing thread for a fixed amount of work, with requests coming in and without, in
// turn. Beside it what the agent itself takes (0 where it is a process of its own).
#include <vector>

#include "atoll/atoll.hpp"
#include "one_sided.hpp"
#include "pair.hpp"
#include "processor_time.hpp"
#include "work.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr int tag = 80;
constexpr double work_seconds = 0.2;

// What rank 1 tells about its computation.
struct Account {
  double thread = 0.0;   // processor seconds of the thread that computed
  double process = 0.0;  // of the process
  double wall = 0.0;
};

Account account_of(const std::function<void()>& work) {
  const Account before{thread_seconds(), process_seconds(), now()};
  work();
  return {thread_seconds() - before.thread, process_seconds() - before.process,
          now() - before.wall};
}

// Rank 0: calls `disturb` until rank 1 tells that it is done.
Account disturb_until_done(MPI_Comm communicator, const std::function<void()>& disturb) {
  for (int arrived = 0; arrived == 0;) {
    disturb();
    MPI_Iprobe(1, tag, communicator, &arrived, MPI_STATUS_IGNORE);
  }
  Account account;
  MPI_Recv(&account, sizeof account, MPI_BYTE, 1, tag, communicator, MPI_STATUS_IGNORE);
  return account;
}

}  // namespace

void remote_slowdown(Context& context) {
  atoll::World& world = context.world;
  MPI_Comm communicator = world.communicator();
  ArrayTarget target(world);
  Work work;
  const std::int64_t portions = work.portions_of(work_seconds);
  world.sync();
  Pair pair(communicator, {[&](std::int64_t) {
              const Account account = account_of([&] { work.run(portions); });
              MPI_Send(&account, sizeof account, MPI_BYTE, 0, tag, communicator);
              world.barrier();
            }});
  pair.run([&] {
    std::vector<std::pair<std::string, std::function<void()>>> disturbances;
    disturbances.emplace_back("nothing", [] { doze(1e-3); });
    for (const Operation& operation : target.operations())
      if (operation.name == "get 8 B" || operation.name == "accumulate+fence 64x64") {
        disturbances.emplace_back(operation.name + " each ms", [run = operation.run] {
          doze(1e-3);
          run();
        });
        disturbances.emplace_back(operation.name + " back to back", operation.run);
      }
    std::vector<std::vector<double>> threads(disturbances.size());
    std::vector<std::vector<double>> agents(disturbances.size());
    const int repeats = context.settings.quick ? 3 : 11;
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (std::size_t i = 0; i < disturbances.size(); ++i) {
        pair.ask(0, 0);
        const Account account = disturb_until_done(communicator, disturbances[i].second);
        world.barrier();
        threads[i].push_back(account.thread);
        agents[i].push_back((account.process - account.thread) / account.wall);
      }
    const Samples quiet(threads[0]);
    for (std::size_t i = 1; i < disturbances.size(); ++i) {
      const std::string& name = disturbances[i].first;
      context.report.latency("computation under " + name + ", CPU time", Samples(threads[i]),
                             {{"undisturbed", quiet}});
      const Samples agent = Samples(agents[i]).scaled(100.0);
      context.report.add(
          {"agent under " + name + ", CPU", "% of a core", agent.best(), agent.median(), {}});
    }
  });
}

}  // namespace bench
