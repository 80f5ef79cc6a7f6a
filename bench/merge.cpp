// merge: two nodes with a mirrored array merge it, beside MPI_Allreduce of as many bytes by the
// leaders alone; the same with a tenth of the tiles written; and a get of a mirrored array beside
// one from the other node.
#include <mpi.h>

#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t columns = 512;  // a row of tiles is 32 x 512 numbers, 128 KiB

/// Of an array of so many rows: a contender for each of the three, run by both ranks alike.
class Merge {
 public:
  Merge(atoll::World& world, std::int64_t rows)
      : world_(world),
        dense_(world, {rows, columns}, {.mirrored = true}),
        sparse_(world, {rows, columns}, {.mirrored = true}),
        buffer_(static_cast<std::size_t>(rows * columns)) {
    atoll::fill(dense_, 1);
    // The first columns of every row of tiles: one or two tiles of sixteen.
    for (std::int64_t row = 0; row < rows; row += 32)
      atoll::fill(sparse_, {{row, 0}, {row + 1, row % 320 < 192 ? 64 : 32}}, 1);
    atoll::merge(sparse_);
  }
  std::int64_t bytes() const { return dense_.elements() * 8; }
  void merge_dense(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) atoll::merge(dense_);
  }
  void merge_sparse(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) atoll::merge(sparse_);
  }
  void reduce(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      MPI_Allreduce(MPI_IN_PLACE, buffer_.data(), static_cast<int>(buffer_.size()), MPI_DOUBLE,
                    MPI_SUM, world_.communicator());
  }

 private:
  atoll::World& world_;
  atoll::Array<double> dense_, sparse_;
  std::vector<double> buffer_;
};

void measure(Context& context, std::int64_t rows) {
  Merge merge(context.world, rows);
  const std::vector<Pair::Task> tasks = {[&](std::int64_t n) { merge.merge_dense(n); },
                                         [&](std::int64_t n) { merge.merge_sparse(n); },
                                         [&](std::int64_t n) { merge.reduce(n); }};
  Pair pair(context.world.communicator(), tasks);
  pair.run([&] {
    std::vector<Contender> contenders;
    for (int task = 0; task < 3; ++task)
      contenders.push_back({tasks[static_cast<std::size_t>(task)],
                            [&, task](std::int64_t n) { pair.ask(task, n); }});
    const auto s = race(context.settings, contenders, paired_batch);
    const std::string size = bytes_text(merge.bytes());
    context.report.latency("merge " + size, s[0], {{"MPI_Allreduce", s[2]}});
    context.report.latency("merge " + size + ", a tenth written", s[1], {{"all written", s[0]}});
  });
}

void measure_get(Context& context) {
  atoll::Array<double> far(context.world, {2, 1024});
  atoll::Array<double> near = atoll::mirror(far);
  const atoll::Patch patch{{1, 0}, {2, 1024}}, one{{1, 7}, {2, 8}};
  std::vector<double> buffer(1024);
  Pair pair(context.world.communicator(), {[&](std::int64_t) { context.world.barrier(); }});
  pair.run([&] {
    pair.ask(0, 0);
    const auto get = [&](const atoll::Array<double>& array, const atoll::Patch& where) {
      return loop([&](std::int64_t) { array.get(where, buffer.data()); });
    };
    const auto s =
        race(context.settings, {get(near, one), get(far, one), get(near, patch), get(far, patch)});
    context.world.barrier();
    context.report.latency("mirrored get 8 B", s[0], {{"distributed", s[1]}});
    context.report.latency("mirrored get 8 KiB", s[2], {{"distributed", s[3]}});
  });
}

}  // namespace

void merge(Context& context) {
  const std::vector<std::int64_t> sizes = context.settings.quick
                                              ? std::vector<std::int64_t>{320}
                                              : std::vector<std::int64_t>{32, 320, 3200, 16000};
  for (const std::int64_t rows : sizes) measure(context, rows);
  measure_get(context);
}

}  // namespace bench
