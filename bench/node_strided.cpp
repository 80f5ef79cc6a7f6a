// node-strided: a 512 x 512 patch and a 512 x 1 column of a 4096 x 4096 array of doubles, in a
// neighbour's block, beside hand-written loops on the very same memory, and MPI RMA.
#include <vector>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "plain.hpp"
#include "window.hpp"
#include "workloads.hpp"

namespace bench {

namespace {
constexpr std::int64_t extent = 4096;
constexpr std::int64_t edge = 512;
constexpr std::int64_t patch_bytes = edge * edge * 8;
constexpr std::int64_t column_bytes = edge * 8;
}  // namespace

void node_strided(Context& context) {
  atoll::Array<double> array(context.world, {extent, extent});
  const atoll::TypedBlock<double> block = array.block(1);
  const std::int64_t stride = block.strides[0];
  Window window(context.world.communicator(), block.patch.elements(), Window::Kind::shared);
  context.world.sync();
  Pair pair(context.world.communicator(), {[&](std::int64_t) { context.world.barrier(); }});
  pair.run([&] {
    pair.ask(0, 0);
    Report& report = context.report;
    const Settings& settings = context.settings;
    std::vector<double> buffer(static_cast<std::size_t>(edge * edge), 1.0);
    double* const local = buffer.data();
    // Away from the corner, inside the block whichever way the array is cut.
    const std::int64_t row = 256;
    const std::int64_t column = 512;
    const std::int64_t offset = row * stride + column;
    double* const remote = block.data + offset;
    const std::int64_t i = block.patch.lo[0] + row;
    const std::int64_t j = block.patch.lo[1] + column;

    const atoll::Patch patch{{i, j}, {i + edge, j + edge}};
    window.set_patch(edge, edge, static_cast<int>(stride));
    auto s = race(settings,
                  {loop([&](std::int64_t) { array.get(patch, local); }), loop([&](std::int64_t) {
                     plain::copy_rows(local, edge, remote, stride, edge, edge);
                   }),
                   loop([&](std::int64_t) { window.get_patch(local, 1, offset); })});
    report.bandwidth("node get 512x512 patch", patch_bytes, s[0],
                     {{"row loop of memcpy", s[1]}, {"MPI RMA", s[2]}});
    s = race(settings,
             {loop([&](std::int64_t) { array.put(patch, local); }), loop([&](std::int64_t) {
                plain::copy_rows(remote, stride, local, edge, edge, edge);
              }),
              loop([&](std::int64_t) { window.put_patch(local, 1, offset); })});
    report.bandwidth("node put 512x512 patch", patch_bytes, s[0],
                     {{"row loop of memcpy", s[1]}, {"MPI RMA", s[2]}});
    s = race(settings, {loop([&](std::int64_t) { array.accumulate(patch, local, 0.5); }),
                        loop([&](std::int64_t) {
                          plain::add_scaled_rows(remote, stride, local, edge, 0.5, edge, edge);
                        }),
                        loop([&](std::int64_t) { window.accumulate_patch(local, 1, offset); })});
    report.bandwidth("node accumulate 512x512 patch", patch_bytes, s[0],
                     {{"row loop of y += a x", s[1]}, {"MPI RMA", s[2]}});

    const atoll::Patch thin{{i, j}, {i + edge, j + 1}};
    window.set_patch(edge, 1, static_cast<int>(stride));
    s = race(settings,
             {loop([&](std::int64_t) { array.get(thin, local); }),
              loop([&](std::int64_t) { plain::copy_strided(local, 1, remote, stride, edge); }),
              loop([&](std::int64_t) { window.get_patch(local, 1, offset); })});
    report.bandwidth("node get 512x1 column", column_bytes, s[0],
                     {{"plain loop", s[1]}, {"MPI RMA", s[2]}});
    s = race(settings,
             {loop([&](std::int64_t) { array.put(thin, local); }),
              loop([&](std::int64_t) { plain::copy_strided(remote, stride, local, 1, edge); }),
              loop([&](std::int64_t) { window.put_patch(local, 1, offset); })});
    report.bandwidth("node put 512x1 column", column_bytes, s[0],
                     {{"plain loop", s[1]}, {"MPI RMA", s[2]}});
    context.world.barrier();
  });
}

}  // namespace bench
