// node-create: create and destroy a 1024 x 1024 array of doubles, its memory left as it is or set
// to zero, beside the clearing alone and a shared window of MPI of the same size. By both ranks.
#include <cstring>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {
constexpr std::int64_t extent = 1024;
}

void node_create(Context& context) {
  const atoll::Group& world = context.world;
  const auto create = [&](bool zero) {
    atoll::ArrayOptions options;
    options.zero = zero;
    atoll::Array<double> array(world, {extent, extent}, options);
    array.destroy();
  };
  atoll::Array<double> cleared(world, {extent, extent});
  const atoll::TypedBlock<double> mine = cleared.local();
  const auto block_bytes = static_cast<std::size_t>(mine.patch.elements()) * sizeof(double);
  const std::vector<Pair::Task> tasks{
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) create(false);
      },
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) create(true);
      },
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
          std::memset(mine.data, 0, block_bytes);
          touch(mine.data);
        }
      },
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
          MPI_Win window = MPI_WIN_NULL;
          void* base = nullptr;
          MPI_Win_allocate_shared(static_cast<MPI_Aint>(block_bytes), sizeof(double), MPI_INFO_NULL,
                                  world.communicator(), &base, &window);
          MPI_Win_free(&window);
        }
      },
  };
  Pair pair(world.communicator(), tasks);
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    context.report.latency("node create+destroy 1024x1024", s[0], {{"MPI window", s[3]}});
    context.report.latency("node create+destroy 1024x1024, zeroed", s[1],
                           {{"memset", s[2]}, {"MPI window", s[3]}});
  });
}

}  // namespace bench
