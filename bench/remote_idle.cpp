// remote-latency, remote-bandwidth: operations to a rank on another node that waits in a barrier,
// beside MPI's messages and one-sided operations of the same size between the same two ranks. A
// put or accumulate counts as done when it is complete at the target (fence).
#include <algorithm>
#include <vector>

#include "atoll/atoll.hpp"
#include "remote.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

// Seconds of one way, from those of a round trip.
Samples halved(const Samples& round_trip) { return round_trip.scaled(0.5); }

}  // namespace

void remote_latency(Context& context) {
  atoll::Array<double> array(context.world, {256, 256});
  atoll::Array<std::int64_t> integers(context.world, {64});
  const atoll::Index lo = array.distribution().patches(1).front().lo;
  const atoll::Index word = integers.distribution().patches(1).front().lo;
  const auto section = [&](std::int64_t edge) {
    return atoll::Patch{lo, {lo[0] + edge, lo[1] + edge}};
  };
  Window window(context.world.communicator(), 64 * 256, Window::Kind::allocated);
  window.set_patch(64, 64, 256);
  Remote remote(context.world, 64 * 64 * 8);
  context.world.sync();
  remote.run([&] {
    std::vector<double> buffer(64 * 64, 1.0);
    double* const local = buffer.data();
    const auto& alone = context.alone.round_trips;
    for (const std::int64_t edge : {1, 64}) {
      const std::int64_t bytes = edge * edge * 8;
      const std::string text = edge == 1 ? "8 B" : "64x64";
      const atoll::Patch patch = section(edge);
      remote.set_bytes(bytes);
      std::vector<Contender> contenders{
          remote.ping_pong(),
          remote.operation([&](std::int64_t) { array.get(patch, local); }),
          remote.operation([&](std::int64_t) {
            array.put(patch, local);
            context.world.fence(1);
          }),
          remote.operation([&](std::int64_t) {
            array.accumulate(patch, local);
            context.world.fence(1);
          }),
          remote.operation([&](std::int64_t) { array.put(patch, local); }),
          remote.operation([&](std::int64_t) { array.accumulate(patch, local); }),
          remote.operation([&](std::int64_t) {
            if (edge == 1)
              window.get(local, 1, 1, 0);
            else
              window.get_patch(local, 1, 0);
          })};
      std::vector<std::string> names{"get", "put+fence", "accumulate+fence", "put", "accumulate"};
      if (edge == 1)
        contenders.push_back(remote.operation([&](std::int64_t) { integers.fetch_add(word, 1); }));
      const auto s = race(context.settings, contenders, paired_batch);
      std::vector<Rival> rivals{{"MPI round trip", s[0]}};
      if (const auto found = alone.find(bytes); found != alone.end())
        rivals.push_back({"round trip without Atoll", found->second});
      for (std::size_t i = 0; i < names.size(); ++i) {
        auto all = rivals;
        if (names[i] == "get") all.push_back({"MPI RMA", s[6]});
        context.report.latency("remote " + names[i] + " " + text, s[i + 1], all);
      }
      if (edge == 1) context.report.latency("remote fetch-add", s[7], rivals);
    }
  });
}

void remote_bandwidth(Context& context) {
  const std::int64_t largest = remote_sizes(context.settings).back() / 8;
  atoll::Array<double> array(context.world, {2 * largest});
  const std::int64_t first = array.distribution().patches(1).front().lo[0];
  // Inside the block of rank 1 whichever way the array is cut.
  atoll::Array<double> plane(context.world, {4096, 4096});
  const atoll::Index corner = plane.distribution().patches(1).front().lo;
  const atoll::Patch square{{corner[0] + 256, corner[1] + 512},
                            {corner[0] + 256 + 512, corner[1] + 512 + 512}};
  constexpr std::int64_t rows = 512;
  constexpr std::int64_t stride = 4096;
  Window window(context.world.communicator(), std::max(largest, rows * stride),
                Window::Kind::allocated);
  window.set_patch(rows, rows, stride);
  Remote remote(context.world, std::max(8 * largest, rows * rows * 8));
  context.world.sync();
  remote.run([&] {
    std::vector<double> buffer(static_cast<std::size_t>(std::max(largest, rows * rows)), 1.0);
    double* const local = buffer.data();
    const auto& alone = context.alone.round_trips;
    const auto measure = [&](const std::string& text, std::int64_t bytes,
                             atoll::Array<double>& target, const atoll::Patch& patch,
                             const Contender& rma_get, const Contender& rma_put) {
      remote.set_bytes(bytes);
      const auto s = race(context.settings,
                          {remote.ping_pong(), remote.stream(0), remote.stream(1), rma_get, rma_put,
                           remote.operation([&](std::int64_t) { target.get(patch, local); }),
                           remote.operation([&](std::int64_t) {
                             target.put(patch, local);
                             context.world.fence(1);
                           }),
                           remote.operation([&](std::int64_t) {
                             target.accumulate(patch, local, 0.5);
                             context.world.fence(1);
                           })},
                          paired_batch);
      const auto rivals = [&](std::size_t stream, std::size_t rma) {
        std::vector<Rival> list{{"MPI ping-pong", halved(s[0])}, {"MPI stream", s[stream]}};
        if (const auto found = alone.find(bytes); found != alone.end())
          list.push_back({"ping-pong without Atoll", halved(found->second)});
        if (rma != 0) list.push_back({"MPI RMA", s[rma]});
        return list;
      };
      const std::string tail = " bandwidth " + text;
      context.report.bandwidth("remote get" + tail, bytes, s[5], rivals(1, 3));
      context.report.bandwidth("remote put+fence" + tail, bytes, s[6], rivals(2, 4));
      context.report.bandwidth("remote accumulate+fence" + tail, bytes, s[7], rivals(2, 0));
    };
    for (const std::int64_t bytes : remote_sizes(context.settings))
      measure(bytes_text(bytes), bytes, array, {{first}, {first + bytes / 8}},
              remote.operation([&, bytes](std::int64_t) { window.get(local, bytes / 8, 1, 0); }),
              remote.operation([&, bytes](std::int64_t) { window.put(local, bytes / 8, 1, 0); }));
    measure("512x512 patch", rows * rows * 8, plane, square,
            remote.operation([&](std::int64_t) { window.get_patch(local, 1, 0); }),
            remote.operation([&](std::int64_t) { window.put_patch(local, 1, 0); }));
  });
}

}  // namespace bench
