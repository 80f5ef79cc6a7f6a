// A read-mostly lookup with the lazy mirror.
//
// A table that is too large for one node is spread over all of them, and every rank looks entries
// up, some parts of the table far more often than others. With a lazy mirror a node keeps the tiles
// that its ranks ask for, as many as the budget allows, so that nearly all lookups stay on the
// node. Now and then the table changes; refresh makes that seen.
//
//   mpiexec -n 4 lookup [entries]
#include <algorithm>
#include <atoll/atoll.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <span>
#include <vector>

namespace {

/// What the table holds after it has changed so many times.
double entry(std::int64_t position, int version) {
  return static_cast<double>((position * 7919 + version * 31) % 100003);
}

/// Every rank fills in its own part.
void tabulate(atoll::Array<double>& table, int version) {
  for (const atoll::Patch& mine : table.patches(table.group().rank())) {
    std::vector<double> values;
    for (std::int64_t i = mine.lo[0]; i < mine.hi[0]; ++i) values.push_back(entry(i, version));
    table.put(mine, values.data());
  }
}

/// Looks up many entries, of which nine in ten lie in the first tenth. Returns how many were wrong.
std::int64_t look_up(const atoll::LazyMirror<double>& mirror, std::mt19937_64& random,
                     int version) {
  const std::int64_t entries = mirror.shape()[0];
  std::vector<std::int64_t> positions(1000);
  std::vector<double> values(positions.size());
  std::int64_t wrong = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::int64_t& position : positions) {
      const std::int64_t range = random() % 10 < 9 ? (entries + 9) / 10 : entries;
      position = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
    }
    mirror.gather(positions, values.data());
    for (std::size_t i = 0; i < positions.size(); ++i)
      wrong += values[i] == entry(positions[i], version) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const atoll::World world(argc, argv);
  const std::int64_t entries = argc > 1 ? std::atoll(argv[1]) : 400000;

  atoll::Array<double> table(world, {entries}, {.name = "table"});
  const std::int64_t budget = std::max<std::int64_t>(8192, entries * 8 / 5);  // a fifth of it
  atoll::LazyMirror<double> mirror(table, budget);

  std::mt19937_64 random(static_cast<std::uint64_t>(world.rank()));
  std::int64_t wrong = 0;
  for (int version = 0; version < 3; ++version) {
    world.barrier();  // nobody reads what is written now
    tabulate(table, version);
    mirror.refresh();  // everybody has written; what was cached is dropped
    wrong += look_up(mirror, random, version);
  }

  const atoll::LazyCounts mine = mirror.statistics().rank;
  std::int64_t lookups[] = {mine.hits + mine.direct, mine.misses + mine.bypasses, wrong};
  world.reduce(std::span<std::int64_t>(lookups));
  if (world.rank() == 0) {
    const double share =
        static_cast<double>(lookups[0]) / static_cast<double>(lookups[0] + lookups[1]);
    std::cout << entries << " entries, " << lookups[2] << " of " << lookups[0] + lookups[1]
              << " lookups wrong, " << (share > 0.9 ? "nine in ten" : "too few")
              << " on the node\n";
  }
  return lookups[2] == 0 ? 0 : 1;
}
