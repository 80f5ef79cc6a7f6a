// remote-small: many small nonblocking operations to one node, which may travel together, beside
// blocking ones. Every second element of rank 1's block in turn; the cost of each. Writes count
// until all are complete at the target.
#include <array>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "remote.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {
constexpr std::int64_t many = 1024;
}

void remote_small(Context& context) {
  atoll::World& world = context.world;
  atoll::Array<double> array(world, {4 * many});
  const std::int64_t first = array.distribution().patches(1).front().lo[0];
  Window window(world.communicator(), 2 * many, Window::Kind::allocated);
  std::vector<double> buffer(many, 1.0);
  Remote remote(world, 8);
  world.sync();
  const auto patch = [first](std::int64_t i) {
    const std::int64_t at = first + 2 * i;
    return atoll::Patch{{at}, {at + 1}};
  };
  // A contender whose iteration is `many` operations and what completes them.
  const auto batch = [&](const std::function<void(std::int64_t)>& one,
                         const std::function<void()>& complete) {
    return remote.operation([one, complete](std::int64_t) {
      for (std::int64_t i = 0; i < many; ++i) one(i);
      complete();
    });
  };
  std::vector<atoll::Handle> handles(many);
  const auto wait = [&] { atoll::wait_all(handles); };
  const auto wait_and_fence = [&] {
    atoll::wait_all(handles);
    world.fence(1);
  };
  const auto fence = [&] { world.fence(1); };
  const auto at = [&](std::int64_t i) { return &buffer[static_cast<std::size_t>(i)]; };
  const auto handle = [&](std::int64_t i) -> atoll::Handle& {
    return handles[static_cast<std::size_t>(i)];
  };
  remote.run([&] {
    const auto s =
        race(context.settings,
             {remote.ping_pong(),
              batch([&](std::int64_t i) { handle(i) = array.get_async(patch(i), at(i)); }, wait),
              batch([&](std::int64_t i) { array.get(patch(i), at(i)); }, [] {}),
              batch([&](std::int64_t i) { window.start_get(at(i), 1, 1, 2 * i); },
                    [&] { window.flush(1); }),
              batch([&](std::int64_t i) { handle(i) = array.put_async(patch(i), at(i)); },
                    wait_and_fence),
              batch([&](std::int64_t i) { array.put(patch(i), at(i)); }, fence),
              batch([&](std::int64_t i) { window.start_put(at(i), 1, 1, 2 * i); },
                    [&] { window.flush(1); }),
              batch([&](std::int64_t i) { handle(i) = array.accumulate_async(patch(i), at(i)); },
                    wait_and_fence),
              batch([&](std::int64_t i) { array.accumulate(patch(i), at(i)); }, fence),
              batch([&](std::int64_t i) { window.start_accumulate(at(i), 1, 1, 2 * i); },
                    [&] { window.flush(1); })},
             paired_batch);
    const std::array<std::string, 3> names{"get", "put", "accumulate"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto each = [&](std::size_t k) { return s[3 * i + k].scaled(1.0 / many); };
      context.report.latency(
          names[i] + "_async 8 B, each of 1024", each(1),
          {{"blocking", each(2)}, {"MPI RMA, one flush", each(3)}, {"MPI round trip", s[0]}});
    }
  });
}

}  // namespace bench
