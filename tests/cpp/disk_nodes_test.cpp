// Disk arrays of several nodes: read into mirrored arrays, and with a part on each node's own disk.
// Collective.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "atoll/disk_array.hpp"
#include "atoll/mirror.hpp"
#include "disk/disk_layout.hpp"
#include "file_support.hpp"
#include "mirror_support.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(DiskArraysIntoMirroredArrays, AreReadByEveryNodeIntoItsCopy) {
  const Folder folder;
  const Index shape{40, 30};
  std::vector<double> expected(40 * 30);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(i) + 0.5;
  Array<double> array(world(), shape), copies(world(), shape, mirrored);
  if (world().rank() == 0) array.put(whole(shape), expected.data());
  world().sync();
  DiskArray disk =
      DiskArray::create(world(), folder / "a", shape, ElementType::float64, {.tile = {7, 9}});
  disk.write(array);
  for (const bool exposed : {false, true}) {
    zero(copies);
    if (exposed) (void)copies.local();
    disk.read_async(copies).wait();
    EXPECT_TRUE(holds(copies, expected));
    world().barrier();
    // All copies are alike: a change of one node is all that there is to publish.
    const double one = 1;
    if (world().node() == 0 && copies.group().rank() == 0) copies.put({{3, 3}, {4, 4}}, &one);
    copies.group().sync();
    publish(copies);
    std::vector<double> changed = expected;
    changed[3 * 30 + 3] = 1;
    EXPECT_TRUE(holds(copies, changed));
    world().barrier();
    // And every node's copy is as good as another's to write.
    disk.write(copies);
    disk.read(array);
    EXPECT_TRUE(holds(array, changed));
    world().sync();
    changed[3 * 30 + 3] = expected[3 * 30 + 3];
    if (world().rank() == 0) array.put(whole(shape), expected.data());
    world().sync();
    disk.write(array);
  }
}

TEST(DiskArraysOnPrivateDisks, HaveAPartOnEachNode) {
  const Folder folder;
  const std::string path = folder / "disk{node}/a.zarr";
  const std::string mine = folder / ("disk" + std::to_string(world().node()));
  const Index shape{90, 70};
  if (world().node_ranks().front() == world().rank()) std::filesystem::create_directory(mine);
  world().barrier();
  std::vector<double> expected(90 * 70);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(i) + 0.5;
  Array<double> array(world(), shape), back(world(), shape);
  if (world().rank() == 0) array.put(whole(shape), expected.data());
  world().sync();
  DiskArray disk =
      DiskArray::create(world(), path, shape, ElementType::float64, {.tile = {10, 70}});
  disk.write(array);
  disk.write_async(array, {{5, 0}, {25, 70}}, {{5, 0}, {25, 70}}).wait();
  disk.read(back);
  EXPECT_TRUE(holds(back, expected));
  world().sync();
  disk.close();
  disk = DiskArray::open(world(), path);
  EXPECT_EQ(disk.generation(), 2U);
  disk.verify();
  disk.read_async(back).wait();
  EXPECT_TRUE(holds(back, expected));
  world().sync();
  // Every node has its tiles, and no others.
  const detail::DiskLayout layout(ElementType::float64, shape, {10, 70});
  const Bytes there = contents_of(mine + "/a.zarr/c/0/0");
  for (std::int64_t tile = 0; tile < 9; ++tile) {
    const auto at = there.begin() + layout.offset_of(tile);
    const bool is_here = tile >= 9 * world().node() / world().nodes() &&
                         tile < 9 * (world().node() + 1) / world().nodes();
    EXPECT_EQ(std::any_of(at, at + layout.tile_bytes, [](std::byte b) { return b != std::byte{}; }),
              is_here)
        << tile;
  }
  Array<double> copies(world(), shape, mirrored);
  EXPECT_TRUE(all_throw_error(world(), [&] { disk.read(copies); }, ErrorKind::unsupported,
                              {"has a file on each node"}));
  disk.close();
  // A part is not an array.
  EXPECT_TRUE(all_throw_error(world(), [&] { DiskArray::open(world(), folder / "disk0/a.zarr"); },
                              ErrorKind::value,
                              {"is part 0 of " + std::to_string(world().nodes())}));
  EXPECT_TRUE(all_throw_error(world(),
                              [&] {
                                DiskArray::create(world(), path, shape, ElementType::float64,
                                                  {.durability = Durability::checkpoint});
                              },
                              ErrorKind::unsupported, {"durability is checkpoint"}));
  if (world().node_ranks().front() == world().rank()) DiskArray::remove(mine + "/a.zarr");
  world().barrier();
  EXPECT_EQ(entries_of(mine), 0U);
  world().barrier();
}

TEST(DiskArraysOnPrivateDisks, GoBackToTheCommitThatAllNodesHave) {
  const Folder folder;
  const std::string path = folder / "{node}";
  const std::string record = folder / std::to_string(world().nodes() - 1) + "/atoll.record";
  Array<double> values(world(), {4, 5});
  DiskArray disk = DiskArray::create(world(), path, {4, 5}, ElementType::float64, {.tile = {1, 5}});
  fill(values, 1);
  disk.write(values);
  const Bytes before = contents_of(record);
  fill(values, 2);
  disk.write(values);
  disk.close();
  if (world().rank() == 0)  // the last node's record was not written any more
    std::ofstream(record, std::ios::binary)
        .write(reinterpret_cast<const char*>(before.data()), std::ssize(before));
  world().barrier();
  disk = DiskArray::open(world(), path);
  EXPECT_EQ(disk.generation(), 1U);
  // The log tells that the tiles hold what was to be written next.
  disk.read(values);
  EXPECT_TRUE(holds(values, std::vector<double>(20, 2.0)));
  world().sync();
  fill(values, 3);
  disk.write(values);
  disk.verify();
  disk.close();
  DiskArray::open(world(), path).verify();
  world().barrier();
  if (world().nodes() == 1) return;
  // A part of an array of another shape.
  const std::string last = folder / std::to_string(world().nodes() - 1);
  if (world().rank() == 0) std::filesystem::rename(last, folder / "aside");
  DiskArray::create(world(), folder / "other{node}", {5, 4}, ElementType::float64).close();
  if (world().rank() == 0)
    std::filesystem::rename(folder / ("other" + std::to_string(world().nodes() - 1)), last);
  world().barrier();
  EXPECT_TRUE(all_throw_error(world(), [&] { DiskArray::open(world(), path); }, ErrorKind::file,
                              {"is of another array"}));
}

}  // namespace
}  // namespace lagoon::atoll::test
