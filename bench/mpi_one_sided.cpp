// mpi-node, mpi-small: MPI's one-sided operations at their best, by themselves. Where nothing of
// Atoll runs, MPI is initialized for one thread (main.cpp), as a program without Atoll would do:
// with the threads that Atoll's agents need, MPICH takes up to thirty times as long for 8 B.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pair.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t span = 512;  // elements, in turn, as in node-latency
constexpr std::int64_t counted = 2 * span;
constexpr std::int64_t many = 1024;  // requests before a flush, as in remote-small

/// Of one kind of window, by rank 0 while rank 1 sleeps, and fetch-adds by both at once.
void measure_window(AloneContext& context, Window::Kind kind, const std::string& text) {
  Window window(context.communicator, counted + 1, kind);
  const auto add = [&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) window.fetch_add(1, 1, counted);
  };
  Pair pair(context.communicator, {[&](std::int64_t n) {
              add(n);
              MPI_Barrier(context.communicator);
            }});
  pair.run([&] {
    double value = 1.0;
    const auto s =
        race(context.settings,
             {loop([&](std::int64_t i) { window.get(&value, 1, 1, i & (span - 1)); }),
              loop([&](std::int64_t i) { window.put(&value, 1, 1, i & (span - 1)); }),
              loop([&](std::int64_t i) { window.accumulate(&value, 1, 1, i & (span - 1)); }),
              {add}});
    const auto both = race(context.settings,
                           {{[&](std::int64_t n) {
                               add(n);
                               MPI_Barrier(context.communicator);
                             },
                             [&](std::int64_t n) { pair.ask(0, n); }}},
                           paired_batch);
    context.report.latency("MPI get 8 B, " + text, s[0], {});
    context.report.latency("MPI put 8 B, " + text, s[1], {});
    context.report.latency("MPI accumulate 8 B, " + text, s[2], {});
    context.report.rate("MPI fetch-add alone, " + text, 1.0, s[3], {});
    context.report.rate("MPI fetch-add by both ranks, " + text, 2.0, both[0], {});
  });
}

}  // namespace

void mpi_node(AloneContext& context) {
  measure_window(context, Window::Kind::shared, "shared window");
  measure_window(context, Window::Kind::allocated, "allocated window");
}

void mpi_small(AloneContext& context) {
  MPI_Comm communicator = context.communicator;
  Window window(communicator, 2 * many, Window::Kind::allocated);
  Pair pair(communicator, {[communicator](std::int64_t) { MPI_Barrier(communicator); }});
  pair.run([&] {
    std::vector<double> buffer(many, 1.0);
    const auto at = [&](std::int64_t i) { return &buffer[static_cast<std::size_t>(i)]; };
    using Request = std::function<void(std::int64_t)>;
    const std::vector<std::pair<std::string, Request>> requests = {
        {"get", [&](std::int64_t i) { window.start_get(at(i), 1, 1, 2 * i); }},
        {"put", [&](std::int64_t i) { window.start_put(at(i), 1, 1, 2 * i); }},
        {"accumulate", [&](std::int64_t i) { window.start_accumulate(at(i), 1, 1, 2 * i); }}};
    for (const auto& [name, request] : requests) {
      // Rank 1 waits in a barrier, so that MPI answers there.
      const auto waiting = [&](const Request& body) {
        return Contender{[&, body](std::int64_t n) {
                           for (std::int64_t i = 0; i < n; ++i) body(i);
                         },
                         [&](std::int64_t) { pair.ask(0, 0); }, [&] { MPI_Barrier(communicator); }};
      };
      const auto s = race(context.settings,
                          {waiting([&](std::int64_t i) {
                             request(i % many);
                             window.flush(1);
                           }),
                           waiting([&](std::int64_t) {
                             for (std::int64_t i = 0; i < many; ++i) request(i);
                             window.flush(1);
                           })},
                          paired_batch);
      context.report.latency("MPI " + name + " 8 B", s[0], {});
      context.report.latency("MPI " + name + " 8 B, each of 1024", s[1].scaled(1.0 / many), {});
    }
  });
}

}  // namespace bench
