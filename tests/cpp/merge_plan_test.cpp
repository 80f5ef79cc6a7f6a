// The plan of a merge, for nodes as they are: what parcels hold.
#include <algorithm>

#include "array/mirror/merge_call.hpp"
#include "mpi/face.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(MergePlan, ParcelsAtTheirHomesHoldEveryElementOnce) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
  const detail::NodeGroup& nodes = *detail::NodeGroup::of(world());
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const bool large = i % 10 == 0;
    const Index shape = large
                            ? Index{random.between(1, 5), random.between(1, 300'000)}
                            : random_shape(random, static_cast<int>(random.between(1, 5)), 60'000);
    const detail::Tiling tiling(shape, 8);
    const Patch patch = large ? whole(shape) : random_patch(random, shape);
    detail::MergePlan plan(nodes, tiling, 8);
    plan.confine(patch);
    std::vector<std::int32_t> expected(static_cast<std::size_t>(shape.product())), found = expected;
    tiling.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t tile = first; tile < last; ++tile) {
        // Contributed by one node or by all, in runs.
        const int only = large ? -1 : static_cast<int>(tile / 3 % (nodes.nodes() + 1)) - 1;
        detail::NodeSet set = detail::all_nodes(nodes.nodes());
        if (only >= 0) std::fill(set.begin(), set.end(), 0);
        if (only >= 0) detail::insert(set, only);
        plan.add(tile, tile + 1, set, -1);
        const Patch part = intersection(tiling.patch(tile), patch);
        for_each_position(part.shape(), [&](const Index& position, std::int64_t) {
          ++expected[static_cast<std::size_t>(linear_index(array_position(part, position), shape))];
        });
      }
    });
    for (const detail::Parcel& parcel : plan.parcels(world().rank(), true)) {
      EXPECT_LE(parcel.bytes, detail::MergePlan::largest_parcel(nodes.nodes()));
      std::int64_t bytes = 0;
      for (const Patch& box : parcel.boxes) {
        bytes += box.elements() * 8;
        if (parcel.home != nodes.my_node()) continue;
        for_each_position(box.shape(), [&](const Index& position, std::int64_t) {
          ++found[static_cast<std::size_t>(linear_index(array_position(box, position), shape))];
        });
      }
      EXPECT_EQ(parcel.bytes, bytes);
    }
    mpi::allreduce(mpi::in_place(), found.data(), static_cast<int>(found.size()), mpi::type_int32,
                   mpi::op_sum, world().mpi_communicator());
    EXPECT_EQ(found, expected) << patch.to_string() << " of " << shape.to_string();
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
