// remote-overlap, mpi-overlap: per cent of the time of a nonblocking transfer that computation
// hides (overlap.hpp), for Atoll's get and put and for what MPI has: one-sided requests and
// nonblocking messages. The target waits in a barrier. A put ends when it is complete there.
#include <vector>

#include "atoll/atoll.hpp"
#include "overlap.hpp"
#include "pair.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {
constexpr int tag = 81;
}

void remote_overlap(Context& context) {
  atoll::World& world = context.world;
  const std::vector<std::int64_t> sizes = overlap_sizes(context.settings);
  const std::int64_t largest = sizes.back() / 8;
  atoll::Array<double> array(world, {2 * largest});
  const std::int64_t first = array.distribution().patches(1).front().lo[0];
  std::vector<double> buffer(static_cast<std::size_t>(largest), 1.0);
  world.sync();
  Pair pair(world.communicator(), {[&world](std::int64_t) { world.barrier(); }});
  pair.run([&] {
    Overlap overlap;
    const auto before = [&] { pair.ask(0, 0); };
    const auto after = [&] { world.barrier(); };
    for (const std::int64_t bytes : sizes) {
      const atoll::Patch patch{{first}, {first + bytes / 8}};
      context.report.add(overlap.measure(
          context.settings, "overlap get " + bytes_text(bytes),
          [&](const std::function<void()>& between) {
            atoll::Handle handle = array.get_async(patch, buffer.data());
            between();
            handle.wait();
          },
          before, after));
      context.report.add(overlap.measure(
          context.settings, "overlap put+fence " + bytes_text(bytes),
          [&](const std::function<void()>& between) {
            atoll::Handle handle = array.put_async(patch, buffer.data());
            between();
            handle.wait();
            world.fence(1);
          },
          before, after));
    }
  });
}

void mpi_overlap(AloneContext& context) {
  MPI_Comm communicator = context.communicator;
  const std::vector<std::int64_t> sizes = overlap_sizes(context.settings);
  const std::int64_t largest = sizes.back() / 8;
  Window window(communicator, largest, Window::Kind::allocated);
  std::vector<double> buffer(static_cast<std::size_t>(largest), 1.0);
  const auto barrier = [communicator] { MPI_Barrier(communicator); };
  int count = 0;
  constexpr std::int64_t end = -1;
  // Rank 1 sends or receives a message of `count` numbers for each token, until the last one: how
  // many transfers there are is rank 0's to choose.
  const auto serve = [&](bool send) {
    for (;;) {
      std::int64_t token = 0;
      MPI_Recv(&token, 1, MPI_INT64_T, 0, tag, communicator, MPI_STATUS_IGNORE);
      if (token == end) return;
      if (send)
        MPI_Send(buffer.data(), count, MPI_DOUBLE, 0, tag, communicator);
      else
        MPI_Recv(buffer.data(), count, MPI_DOUBLE, 0, tag, communicator, MPI_STATUS_IGNORE);
    }
  };
  Pair pair(communicator, {[&](std::int64_t) { barrier(); }, [&](std::int64_t) { serve(true); },
                           [&](std::int64_t) { serve(false); },
                           [&](std::int64_t n) { count = static_cast<int>(n); }});
  const auto token = [&](std::int64_t value) {
    MPI_Send(&value, 1, MPI_INT64_T, 1, tag, communicator);
  };
  pair.run([&] {
    Overlap overlap;
    const auto measure = [&](const std::string& name, const Overlap::Transfer& transfer, int task) {
      context.report.add(overlap.measure(
          context.settings, name, transfer, [&pair, task] { pair.ask(task, 0); },
          [&, task] {
            if (task == 0)
              barrier();
            else
              token(end);
          }));
    };
    for (const std::int64_t bytes : sizes) {
      const std::string size = " " + bytes_text(bytes);
      const int n = static_cast<int>(bytes / 8);
      pair.ask(3, n);
      measure(
          "overlap MPI_Rget" + size,
          [&](const std::function<void()>& between) {
            MPI_Request request = window.request_get(buffer.data(), n, 1, 0);
            between();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          },
          0);
      measure(
          "overlap MPI_Rput+flush" + size,
          [&](const std::function<void()>& between) {
            MPI_Request request = window.request_put(buffer.data(), n, 1, 0);
            between();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            window.flush(1);
          },
          0);
      measure(
          "overlap MPI_Irecv" + size,
          [&](const std::function<void()>& between) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(buffer.data(), n, MPI_DOUBLE, 1, tag, communicator, &request);
            token(0);
            between();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          },
          1);
      measure(
          "overlap MPI_Isend" + size,
          [&](const std::function<void()>& between) {
            token(0);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(buffer.data(), n, MPI_DOUBLE, 1, tag, communicator, &request);
            between();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          },
          2);
    }
  });
}

}  // namespace bench
