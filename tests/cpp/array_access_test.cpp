// Who owns what, and direct access to the memory of my node.
#include <memory>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(Ownership, PatchesOfAllRanksCoverEveryElementOnce) {
  for (int dimensions = 1; dimensions <= max_dimensions; ++dimensions) {
    Random random(80 + static_cast<std::uint64_t>(dimensions));
    const Index shape = random_shape(random, dimensions, 600);
    for (const Layout& layout : sample_layouts(shape, world().size())) {
      const Array<float> array(world(), shape, {.layout = layout});
      SCOPED_TRACE(array.distribution().to_string());
      std::vector<int> owners(static_cast<std::size_t>(shape.product()), -1);
      for (int rank = 0; rank < world().size(); ++rank) {
        std::int64_t elements = 0;
        for (const Patch& patch : array.patches(rank)) {
          elements += patch.elements();
          for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
            const Index where = array_position(patch, position);
            int& owner = owners[static_cast<std::size_t>(linear_index(where, shape))];
            EXPECT_EQ(owner, -1) << where.to_string() << " is owned twice";
            owner = rank;
            EXPECT_EQ(array.owner(where), rank) << where.to_string();
          });
        }
        EXPECT_EQ(array.distribution().local_elements(rank), elements);
      }
      EXPECT_EQ(std::count(owners.begin(), owners.end(), -1), 0);
    }
  }
}

TEST(Ownership, LocateCutsAPatchIntoItsOwnersParts) {
  Random random(83);
  const Index shape{37, 23};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    const Array<float> array(world(), shape, {.layout = layout});
    for (int round = 0; round < 20; ++round) {
      const Patch patch = random_patch(random, shape);
      std::int64_t elements = 0;
      for (const OwnedPatch& part : array.locate(patch)) {
        EXPECT_EQ(intersection(part.patch, patch), part.patch);
        EXPECT_FALSE(part.patch.empty());
        elements += part.patch.elements();
        for_each_position(part.patch.shape(), [&](const Index& position, std::int64_t) {
          EXPECT_EQ(array.owner(array_position(part.patch, position)), part.rank);
        });
      }
      EXPECT_EQ(elements, patch.elements());
    }
  }
}

/// What a rank's patches take with a halo around each.
std::int64_t memory_elements(const std::vector<Patch>& patches, const Index& halo) {
  std::int64_t sum = 0;
  for (const Patch& patch : patches) {
    std::int64_t elements = 1;
    for (int d = 0; d < halo.size(); ++d) elements *= patch.hi[d] - patch.lo[d] + 2 * halo[d];
    sum += elements;
  }
  return sum;
}

TEST(DirectAccess, BlocksOfMyNodeAreTheArraysMemory) {
  const Index shape{21, 34};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<std::int64_t> array(world(), shape, {.layout = layout});
    std::vector<std::int64_t> values(21 * 34);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i) * 3;
    if (world().rank() == 0) array.put(whole(shape), values.data());
    world().sync();
    for (const int rank : world().node_ranks()) {
      std::vector<Patch> patches;
      for (const LocalBlock& block : array.blocks(rank)) {
        patches.push_back(block.patch);
        const auto* data = static_cast<const std::int64_t*>(block.data);
        for_each_position(block.patch.shape(), [&](const Index& position, std::int64_t) {
          const std::int64_t offset =
              position[0] * block.strides[0] + position[1] * block.strides[1];
          EXPECT_EQ(data[offset], values[static_cast<std::size_t>(
                                      linear_index(array_position(block.patch, position), shape))]);
        });
      }
      EXPECT_EQ(patches, array.patches(rank));
    }
    world().barrier();
  }
}

TEST(DirectAccess, StorageHoldsTheRanksElementsAndItsHalo) {
  const Index shape{15, 15};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<std::int64_t> array(world(), shape, {.layout = layout});
    for (std::int64_t& value : array.storage(world().rank())) value += 1;
    world().sync();
    EXPECT_TRUE(holds(array, std::vector<std::int64_t>(225, 1)));
    for (const int rank : world().node_ranks())
      EXPECT_EQ(std::ssize(array.storage(rank)),
                memory_elements(array.patches(rank), array.distribution().halo()));
    world().barrier();
  }
}

TEST(DirectAccess, ARankWithoutElementsHasAnEmptyBlock) {
  const Array<double> array(world(), {1});
  const TypedBlock<double> mine = array.local();
  EXPECT_EQ(mine.patch.empty(), array.owner({0}) != world().rank());
  const int none = world().size() - 1;
  if (none > 0 && world().same_node(none)) {
    EXPECT_TRUE(array.block(none).patch.empty());
    EXPECT_TRUE(array.patches(none).empty());
    EXPECT_TRUE(array.storage(none).empty());
  }
}

TEST(DirectAccess, MyNeighboursWriteIntoMyBlock) {
  Array<std::int64_t> array(world(), {world().size()}, {.layout = Layout::blocked({1})});
  for (const int rank : world().node_ranks()) {
    // One neighbour after the other, each adding to all blocks of its node by plain stores.
    if (world().rank() == rank)
      for (const int other : world().node_ranks()) *array.block(other).data += rank + 1;
    world().sync();
  }
  // Nodes may have unequal numbers of ranks: the shorter wait for the others' rounds.
  int most = 0;
  for (int rank = 0; rank < world().size(); ++rank) {
    int ranks = 0;
    for (int other = 0; other < world().size(); ++other)
      ranks += world().node_of(other) == world().node_of(rank) ? 1 : 0;
    most = std::max(most, ranks);
  }
  for (int round = static_cast<int>(world().node_ranks().size()); round < most; ++round)
    world().sync();
  std::int64_t expected = 0;
  for (const int rank : world().node_ranks()) expected += rank + 1;
  EXPECT_EQ(*array.local().data, expected);
  world().barrier();
}

TEST(DirectAccess, ToAnotherNodeIsAValueError) {
  Array<double> array(world(), {world().size()}, {.name = "remote"});
  for (int rank = 0; rank < world().size(); ++rank) {
    if (world().same_node(rank)) continue;
    const std::vector<std::string> texts{"remote", std::to_string(rank)};
    EXPECT_TRUE(throws_error([&] { (void)array.block(rank); }, ErrorKind::value, texts));
    EXPECT_TRUE(throws_error([&] { (void)array.blocks(rank); }, ErrorKind::value, texts));
    EXPECT_TRUE(throws_error([&] { (void)array.storage(rank); }, ErrorKind::value, texts));
  }
  for (const int rank : {-1, world().size()}) {
    EXPECT_TRUE(throws_error([&] { (void)array.block(rank); }, ErrorKind::value));
    EXPECT_TRUE(throws_error([&] { (void)array.storage(rank); }, ErrorKind::value));
    EXPECT_TRUE(throws_error([&] { (void)array.patches(rank); }, ErrorKind::value));
  }
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
