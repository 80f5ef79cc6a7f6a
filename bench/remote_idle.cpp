// remote-latency, remote-bandwidth: operations to a rank on another (virtual) node that waits in a
// barrier, beside MPI messages of the same size between the same two ranks. A put or accumulate
// counts as done when it is complete at the target (fence).
#include <algorithm>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "ping_pong.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

// What rank 1 does while rank 0 measures.
enum Task : int { wait_in_barrier, round_trips, stream_to_one, stream_to_zero, set_size };

// A partner with all of these, and the contenders that need it.
class Remote {
 public:
  Remote(atoll::World& world, std::int64_t largest)
      : world_(world),
        messages_(world.communicator(), largest),
        pair_(world.communicator(), {[this](std::int64_t) { world_.barrier(); },
                                     [this](std::int64_t n) { messages_.round_trips(bytes_, n); },
                                     [this](std::int64_t n) { messages_.stream(1, bytes_, n); },
                                     [this](std::int64_t n) { messages_.stream(0, bytes_, n); },
                                     [this](std::int64_t bytes) { bytes_ = bytes; }}) {}
  void run(const std::function<void()>& lead) { pair_.run(lead); }
  void set_bytes(std::int64_t bytes) {
    pair_.ask(set_size, bytes);
    bytes_ = bytes;
  }
  /// An operation of Atoll while rank 1 waits in the barrier.
  template <class Body>
  Contender operation(Body body) {
    Contender contender = loop(std::move(body));
    contender.before = [this](std::int64_t) { pair_.ask(wait_in_barrier, 0); };
    contender.after = [this] { world_.barrier(); };
    return contender;
  }
  Contender ping_pong() {
    return {[this](std::int64_t n) { messages_.round_trips(bytes_, n); },
            [this](std::int64_t n) { pair_.ask(round_trips, n); }};
  }
  Contender stream(int to) {
    return {[this, to](std::int64_t n) { messages_.stream(to, bytes_, n); },
            [this, to](std::int64_t n) { pair_.ask(to == 1 ? stream_to_one : stream_to_zero, n); }};
  }

 private:
  atoll::World& world_;
  PingPong messages_;
  std::int64_t bytes_ = 8;
  Pair pair_;
};

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
          remote.operation([&](std::int64_t) { array.accumulate(patch, local); })};
      std::vector<std::string> names{"get", "put+fence", "accumulate+fence", "put", "accumulate"};
      if (edge == 1) {
        contenders.push_back(remote.operation([&](std::int64_t) { integers.fetch_add(word, 1); }));
        names.emplace_back("fetch-add");
      }
      const auto s = race(context.settings, contenders, paired_batch);
      std::vector<Rival> rivals{{"MPI round trip", s[0]}};
      if (const auto found = alone.find(bytes); found != alone.end())
        rivals.push_back({"round trip without Atoll", found->second});
      for (std::size_t i = 0; i < names.size(); ++i)
        context.report.latency("remote " + names[i] + " " + text, s[i + 1], rivals);
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
  Remote remote(context.world, 8 * largest);
  context.world.sync();
  remote.run([&] {
    std::vector<double> buffer(static_cast<std::size_t>(std::max<std::int64_t>(largest, 1 << 18)),
                               1.0);
    double* const local = buffer.data();
    const auto& alone = context.alone.round_trips;
    const auto measure = [&](const std::string& text, std::int64_t bytes,
                             atoll::Array<double>& target, const atoll::Patch& patch) {
      remote.set_bytes(bytes);
      const auto s = race(context.settings,
                          {remote.ping_pong(), remote.stream(0), remote.stream(1),
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
      const auto rivals = [&](std::size_t stream) {
        std::vector<Rival> list{{"MPI ping-pong", halved(s[0])}, {"MPI stream", s[stream]}};
        if (const auto found = alone.find(bytes); found != alone.end())
          list.push_back({"ping-pong without Atoll", halved(found->second)});
        return list;
      };
      context.report.bandwidth("remote get bandwidth " + text, bytes, s[3], rivals(1));
      context.report.bandwidth("remote put+fence bandwidth " + text, bytes, s[4], rivals(2));
      context.report.bandwidth("remote accumulate+fence bandwidth " + text, bytes, s[5], rivals(2));
    };
    for (const std::int64_t bytes : remote_sizes(context.settings))
      measure(bytes_text(bytes), bytes, array, {{first}, {first + bytes / 8}});
    measure("512x512 patch", 512 * 512 * 8, plane, square);
  });
}

}  // namespace bench
