// merge: the nodes merge mirrored arrays of several sizes, all ranks at once, beside MPI_Allreduce
// of as many bytes by the first rank of every node alone (figures 3 to 5 of Palmer, Nieplocha and
// Apra's paper on mirroring). Arrays of which everything, a tenth, or nothing was written since
// they were zeroed. Any number of ranks on two or more nodes.
#include <mpi.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t tile = 32;           // edge of a tile of doubles, docs/mirrored.md
constexpr std::int64_t most_columns = 512;  // a row of tiles is 128 KiB then
constexpr std::int64_t every = 10;          // of the tiles, one is written

// Whole tiles throughout.
atoll::Index shape_of(std::int64_t bytes) {
  const std::int64_t elements = bytes / 8;
  const std::int64_t columns = std::min(most_columns, elements / tile);
  return {elements / columns, columns};
}

void reduce(MPI_Comm communicator, std::vector<double>& buffer, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    MPI_Allreduce(MPI_IN_PLACE, buffer.data(), static_cast<int>(buffer.size()), MPI_DOUBLE, MPI_SUM,
                  communicator);
}

// Arrays of one size, and what all ranks do with them alike.
class Merges {
 public:
  Merges(const atoll::World& world, const atoll::Group& leaders, std::int64_t bytes)
      : leaders_(leaders),
        dense_(world, shape_of(bytes), {.mirrored = true}),
        sparse_(world, shape_of(bytes), {.mirrored = true}),
        untouched_(world, shape_of(bytes), {.mirrored = true}) {
    if (leaders) buffer_.assign(static_cast<std::size_t>(bytes / 8), 0.0);
    const double mine = world.node() + 1.0;
    atoll::fill(dense_, mine);
    if (sparse_.group().rank() == 0)
      for (std::int64_t i = every - 1; i < tiles(); i += every) sparse_.put(last_of_tile(i), &mine);
    // A first merge of each, which is checked; the later ones add up what it has made equal.
    for (atoll::Array<double>* array : {&dense_, &sparse_, &untouched_}) atoll::merge(*array);
    const double sum = 0.5 * world.nodes() * (world.nodes() + 1);
    for (std::int64_t i = 0; i < tiles(); ++i) {
      const double in_sparse = i % every == every - 1 ? sum : 0.0;
      if (value(dense_, i) != sum || value(sparse_, i) != in_sparse || value(untouched_, i) != 0.0)
        throw std::runtime_error("merge: a copy is wrong");
    }
    world.barrier();
  }
  std::int64_t tiles() const { return dense_.elements() / (tile * tile); }

  std::vector<Pair::Task> tasks() {
    return {[this](std::int64_t n) { merge(dense_, n); },
            [this](std::int64_t n) { merge(sparse_, n); },
            [this](std::int64_t n) { merge(untouched_, n); },
            [this](std::int64_t n) {
              if (leaders_) reduce(leaders_.communicator(), buffer_, n);
            }};
  }

 private:
  static void merge(atoll::Array<double>& array, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) atoll::merge(array);
  }
  atoll::Patch last_of_tile(std::int64_t i) const {
    const std::int64_t across = dense_.shape()[1] / tile;
    const std::int64_t row = (i / across + 1) * tile, column = (i % across + 1) * tile;
    return {{row - 1, column - 1}, {row, column}};
  }
  double value(const atoll::Array<double>& array, std::int64_t i) const {
    double result = 0.0;
    array.get(last_of_tile(i), &result);
    return result;
  }

  atoll::Group leaders_;
  atoll::Array<double> dense_, sparse_, untouched_;
  std::vector<double> buffer_;
};

void measure(Context& context, const atoll::Group& leaders, std::int64_t bytes) {
  Merges merges(context.world, leaders, bytes);
  std::vector<Pair::Task> tasks = merges.tasks();
  tasks.push_back([&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) context.world.barrier();
  });
  Pair pair(context.world.communicator(), tasks);
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    std::vector<Rival> rivals{{"MPI_Allreduce", s[3]}};
    if (const auto found = context.alone.allreduce.find(bytes);
        found != context.alone.allreduce.end())
      rivals.push_back({"MPI_Allreduce without Atoll", found->second});
    const std::string name = "merge " + bytes_text(bytes);
    context.report.latency(name, s[0], rivals);
    if (merges.tiles() >= every)
      context.report.latency(name + ", a tenth written", s[1], {{"all written", s[0]}});
    context.report.latency(name + ", untouched", s[2], {{"barrier", s[4]}, {"all written", s[0]}});
  });
}

}  // namespace

std::vector<std::int64_t> merge_sizes(const Settings& settings) {
  constexpr std::int64_t top = std::int64_t{16} << 20;
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 8 << 10; bytes <= std::min(top, settings.largest);
       bytes *= settings.quick ? 16 : 4)
    sizes.push_back(bytes);
  if (!settings.quick && settings.largest >= top) sizes.push_back(top);
  return sizes;
}

std::map<std::int64_t, Samples> measure_allreduce_alone(const Settings& settings,
                                                        MPI_Comm communicator) {
  std::map<std::int64_t, Samples> result;
  for (const std::int64_t bytes : merge_sizes(settings)) {
    std::vector<double> buffer(static_cast<std::size_t>(bytes / 8));
    const Pair::Task task = [&](std::int64_t n) { reduce(communicator, buffer, n); };
    Pair pair(communicator, {task});
    pair.run([&] {
      const Contender contender{task, [&](std::int64_t n) { pair.ask(0, n); }};
      result[bytes] = race(settings, {contender}, paired_batch).front();
    });
  }
  return result;
}

void merge(Context& context) {
  const bool leads = context.world.node_ranks().front() == context.world.rank();
  const atoll::Group leaders = context.world.split(leads ? 0 : -1);
  for (const std::int64_t bytes : merge_sizes(context.settings)) measure(context, leaders, bytes);
}

}  // namespace bench
