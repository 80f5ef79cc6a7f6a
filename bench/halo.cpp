// node-halo, remote-halo: update the halo of a 2048 x 2048 array of doubles, one row or one column
// wide, shared by two ranks and periodic: each fetches two rows, or two columns, from the other.
// Inside a node beside the plain copies between two barriers, between nodes beside MPI_Sendrecv of
// the same lines. By both ranks.
#include <string>
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "plain.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr std::int64_t extent = 2048;

/// The lines of a block with its halo that an update reads and writes.
struct Lines {
  double* low_halo;
  double* first;
  double* last;
  double* high_halo;
  std::int64_t stride;  // along a line

  Lines(const atoll::TypedBlock<double>& block, int axis)
      : low_halo(block.data),
        first(block.data + block.strides[axis]),
        last(block.data + block.strides[axis] * (block.patch.hi[axis] - block.patch.lo[axis] - 2)),
        high_halo(last + block.strides[axis]),
        stride(block.strides[1 - axis]) {}
};

void copy_line(double* target, const double* source, std::int64_t stride) {
  if (stride == 1)
    plain::copy_rows(target, extent, source, extent, 1, extent);
  else
    plain::copy_strided(target, stride, source, stride, extent);
}

void measure(Context& context, const std::string& where, int axis) {
  const atoll::Group& world = context.world;
  const bool one_node = world.nodes() == 1;
  atoll::Index whole_lines{extent, extent}, width{0, 0};
  whole_lines[axis] = 0;
  width[axis] = 1;
  atoll::Array<double> array(world, {extent, extent},
                             {.layout = atoll::Layout::blocked(whole_lines).with_halo(width)});
  const Lines mine(atoll::local_with_halo(array), axis);
  const int other = 1 - world.rank();
  const Lines theirs(
      one_node ? atoll::block_with_halo(array, other) : atoll::local_with_halo(array), axis);
  MPI_Datatype line = MPI_DATATYPE_NULL;
  MPI_Type_vector(static_cast<int>(extent), 1, static_cast<int>(mine.stride), MPI_DOUBLE, &line);
  MPI_Type_commit(&line);
  const auto copy = [&] {
    world.barrier();
    copy_line(mine.low_halo, theirs.last, mine.stride);
    copy_line(mine.high_halo, theirs.first, mine.stride);
    world.barrier();
  };
  const auto exchange = [&] {
    MPI_Sendrecv(mine.last, 1, line, other, 0, mine.low_halo, 1, line, other, 0,
                 world.communicator(), MPI_STATUS_IGNORE);
    MPI_Sendrecv(mine.first, 1, line, other, 1, mine.high_halo, 1, line, other, 1,
                 world.communicator(), MPI_STATUS_IGNORE);
  };
  const std::vector<Pair::Task> tasks{
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) atoll::update_halo(array, {.periodic = {true}});
      },
      [&](std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          if (one_node)
            copy();
          else
            exchange();
      },
  };
  Pair pair(world.communicator(), tasks);
  pair.run([&] {
    const auto s = race(context.settings, pair.contenders(), paired_batch);
    context.report.latency(where + " halo update 2048x2048, " + (axis == 0 ? "rows" : "columns"),
                           s[0], {{one_node ? "copies and barriers" : "MPI_Sendrecv", s[1]}});
  });
  MPI_Type_free(&line);
}

}  // namespace

void node_halo(Context& context) {
  for (const int axis : {0, 1}) measure(context, "node", axis);
}

void remote_halo(Context& context) {
  for (const int axis : {0, 1}) measure(context, "remote", axis);
}

}  // namespace bench
