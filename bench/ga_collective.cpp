// ga: what all processes do together: synchronisation, broadcasts, reductions, groups; and mutexes.
#include <numeric>

#include "ga_calls.hpp"

namespace bench {

namespace {

constexpr int many = 4096;  // numbers in a long message

void time_synchronisation(Calls& calls, int pgroup, const atoll::Group& group) {
  const atoll::World& world = calls.world();
  calls.together("GA_Sync",
                 {way("GA_Sync", [] { GA_Sync(); }), way("World::sync", [&] { world.sync(); })});
  calls.together("GA_Pgroup_sync", {way("GA_Pgroup_sync", [=] { GA_Pgroup_sync(pgroup); }),
                                    way("Group::sync", [&] { group.sync(); })});
}

void time_messages(Calls& calls, int pgroup, const atoll::Group& group) {
  const atoll::World& world = calls.world();
  std::vector<double> numbers(many, 0.0);
  double* const x = numbers.data();
  for (const int count : {1, many}) {
    const std::span<double> part(x, static_cast<std::size_t>(count));
    const int bytes = count * static_cast<int>(sizeof *x);
    const std::string text = " " + bytes_text(bytes);
    calls.together("GA_Brdcst" + text,
                   {way("GA_Brdcst", [=] { GA_Brdcst(x, bytes, 0); }),
                    way("Group::broadcast", [&world, part] { world.broadcast(part, 0); })});
    char sum[] = "+";
    calls.together("GA_Dgop" + text,
                   {way("GA_Dgop", [&, count] { GA_Dgop(x, count, sum); }),
                    way("Group::reduce", [&world, part] { world.reduce(part); })});
  }
  const std::span<double> one(x, 1);
  calls.together("GA_Pgroup_dgop 8 B",
                 {way("GA_Pgroup_dgop", [=] { GA_Pgroup_dgop(pgroup, x, 1, "+"); }),
                  way("Group::reduce", [&, one] { group.reduce(one); })});
}

void time_groups(Calls& calls, std::vector<int> ranks) {
  const int count = static_cast<int>(ranks.size());
  calls.together(
      "GA_Pgroup_create, GA_Pgroup_destroy",
      {way("GA_Pgroup_create", [&] { GA_Pgroup_destroy(GA_Pgroup_create(ranks.data(), count)); }),
       way("Group::create_among", [&] { (void)calls.world().create_among(ranks); })});
}

/// Nobody else wants the mutex: what it costs to take a number, to see that it is one's turn, and
/// to let the next one have it.
void time_mutexes(Calls& calls) {
  const atoll::World& world = calls.world();
  // A row on each rank, what is counted on cache lines of their own.
  atoll::Array<std::int64_t> cells(world, {world.size(), 16},
                                   {.layout = atoll::Layout::blocked({1, 16})});
  GA_Create_mutexes(1);
  calls.alone("GA_Lock, GA_Unlock", {way("GA_Lock",
                                         [] {
                                           GA_Lock(0);
                                           GA_Unlock(0);
                                         }),
                                     way("fetch_add 3 times, fence", [&] {
                                       cells.fetch_add({0, 0}, 1);
                                       cells.fetch_add({0, 8}, 0);
                                       world.fence();
                                       cells.fetch_add({0, 8}, 1);
                                     })});
  GA_Destroy_mutexes();
}

}  // namespace

void ga_collective(Calls& calls) {
  const atoll::World& world = calls.world();
  std::vector<int> ranks(static_cast<std::size_t>(world.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  const atoll::Group group = world.create(ranks);
  const int pgroup = GA_Pgroup_create(ranks.data(), world.size());
  time_synchronisation(calls, pgroup, group);
  time_messages(calls, pgroup, group);
  time_groups(calls, ranks);
  time_mutexes(calls);
  GA_Pgroup_destroy(pgroup);
}

}  // namespace bench
