// mirrored-get: get from a mirrored array and, of a distributed one, from another node, which waits
// in a barrier (table 1 of Palmer, Nieplocha and Apra's paper on mirroring). The mirrored one
// beside plain copies of the same memory, and beside an ordinary array of my node's ranks. Any
// number of ranks on two or more nodes.
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "plain.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t rows = 1024;  // of a rank: 8 MiB
constexpr std::int64_t columns = 1024;
constexpr std::int64_t edge = 512;

atoll::Layout bands() { return atoll::Layout::blocked({0, columns}); }

// What is read: of the given rows, from the first one on.
struct Reading {
  std::string text;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t bytes() const { return 8 * rows * columns; }
  atoll::Patch patch(std::int64_t first) const { return {{first, 0}, {first + rows, columns}}; }
};

void measure(Context& context, const Reading& reading, const atoll::Array<double>& far,
             const atoll::Array<double>& mirrored, const atoll::Array<double>& near) {
  // The band of the last rank: of the world, which is on another node than rank 0; of my node.
  const std::int64_t first = far.shape()[0] - rows;
  const atoll::Patch patch = reading.patch(first), in_node = reading.patch(near.shape()[0] - rows);
  const atoll::TypedBlock<double> block = mirrored.block(mirrored.group().size() - 1);
  const double* const memory = block.data + (first - block.patch.lo[0]) * columns;
  std::vector<double> buffer(static_cast<std::size_t>(reading.rows * reading.columns));
  double* const out = buffer.data();
  const auto get = [out](const atoll::Array<double>& array, const atoll::Patch& where) {
    return loop([&array, where, out](std::int64_t) { array.get(where, out); });
  };
  const bool packed = reading.rows == 1 || reading.columns == columns;
  Contender copy = loop([&](std::int64_t) {
    plain::copy_rows(out, reading.columns, memory, columns, reading.rows, reading.columns);
  });
  if (packed)
    copy = loop([out, memory, size = static_cast<std::size_t>(reading.bytes())](std::int64_t) {
      plain::copy(out, memory, size);
    });
  const bool one = reading.bytes() == 8;
  const auto s =
      race(context.settings, {get(mirrored, patch), copy, get(near, in_node), get(far, patch)},
           one ? 1e-3 : paired_batch);
  const std::vector<Rival> rivals{{packed ? "memcpy" : "row loop of memcpy", s[1]},
                                  {"array of the node", s[2]}};
  if (one) {
    context.report.latency("mirrored get " + reading.text, s[0], rivals);
    context.report.latency("distributed get " + reading.text, s[3], {{"mirrored", s[0]}});
  } else {
    const std::string tail = " get bandwidth " + reading.text;
    context.report.bandwidth("mirrored" + tail, reading.bytes(), s[0], rivals);
    context.report.bandwidth("distributed" + tail, reading.bytes(), s[3], {{"mirrored", s[0]}});
  }
}

}  // namespace

void mirrored_get(Context& context) {
  const atoll::World& world = context.world;
  const atoll::Group node = world.split(world.node());
  atoll::Array<double> far(world, {rows * world.size(), columns}, {.layout = bands()});
  atoll::Array<double> near(node, {rows * node.size(), columns}, {.layout = bands()});
  atoll::fill(far, 1.0);
  atoll::fill(near, 1.0);
  const atoll::Array<double> mirrored = atoll::mirror(far);
  Pair pair(world.communicator(), {[&](std::int64_t) { world.barrier(); }});
  pair.run([&] {
    pair.ask(0, 0);
    const Reading one{"8 B", 1, 1}, square{"512x512 patch", edge, edge},
        whole{"8 MiB", rows, columns};
    for (const Reading& reading : {one, square, whole})
      if (reading.bytes() <= context.settings.largest)
        measure(context, reading, far, mirrored, near);
    world.barrier();
  });
}

}  // namespace bench
