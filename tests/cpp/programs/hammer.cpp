// hammer [SECONDS]: creates, uses and destroys arrays at random until killed, or for so long. What
// the kill tests kill: at any moment it is starting, inside some operation, or ending. Rank 0
// prints "started" once the world is up, and at the end how many arrays there were.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "atoll/atoll.hpp"

namespace {

/// One array's life: some operations of every rank on patches anywhere.
void use_one_array(atoll::World& world, std::mt19937_64& shared, std::mt19937_64& own) {
  const auto below = [](std::mt19937_64& random, std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  const std::int64_t rows = 1 + below(shared, 300);
  const std::int64_t columns = 1 + below(shared, 300);
  const bool by_scope = below(shared, 2) == 0;
  atoll::Array<std::int64_t> array(world, {rows, columns});
  std::vector<std::int64_t> buffer(static_cast<std::size_t>(rows * columns), 1);
  std::vector<atoll::Handle> handles;
  for (std::int64_t count = 5 + below(shared, 20); count > 0; --count) {
    const std::int64_t row = below(own, rows);
    const std::int64_t column = below(own, columns);
    const atoll::Patch patch{
        {row, column},
        {row + 1 + below(own, rows - row), column + 1 + below(own, columns - column)}};
    switch (below(own, 6)) {
      case 0: array.put(patch, buffer.data()); break;
      case 1: array.accumulate(patch, buffer.data()); break;
      case 2: handles.push_back(array.get_async(patch, buffer.data())); break;
      case 3: handles.push_back(array.put_async(patch, buffer.data())); break;
      case 4: array.fetch_add({row, column}, 1); break;
      default: array.get(patch, buffer.data());
    }
  }
  atoll::wait_all(handles);
  world.sync();
  if (!by_scope) array.destroy();
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1e9;
  atoll::World world(argc, argv);
  world.barrier();
  if (world.rank() == 0) {
    std::puts("started");
    std::fflush(stdout);
  }
  std::mt19937_64 shared(7);
  std::mt19937_64 own(static_cast<std::uint64_t>(world.rank()));
  const auto start = std::chrono::steady_clock::now();
  std::int64_t arrays = 0;
  for (bool more = true; more; ++arrays) {
    use_one_array(world, shared, own);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    more = world.reduce<std::int32_t>(passed.count() < seconds ? 1 : 0,
                                      atoll::Reduction::minimum) == 1;
  }
  if (world.rank() == 0) std::printf("%lld arrays\n", static_cast<long long>(arrays));
  return 0;
}
