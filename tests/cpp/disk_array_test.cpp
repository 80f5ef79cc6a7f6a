// Disk arrays: sections of any shape against a model in memory, by any number of ranks; what is
// read after bytes were lost or changed; errors of the system at every call. Collective.
#include "atoll/disk_array.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "algebra_support.hpp"
#include "disk/crc32c.hpp"
#include "disk/disk_folder.hpp"
#include "disk/hdf5_skeleton.hpp"
#include "file_support.hpp"

namespace lagoon::atoll::test {
namespace {

detail::DiskLayout layout_of(const DiskArray& disk) {
  return {disk.type(), disk.shape(), disk.tile()};
}
std::string data_of(const DiskArray& disk) {
  return detail::DiskFolder{disk.path()}.data(layout_of(disk));
}

TEST(Checksums, AreThoseOfTheStandard) {
  const auto text = std::as_bytes(std::span("123456789", 9));
  EXPECT_EQ(detail::crc32c(text), 0xe3069283U);
  const Bytes zeros(32);
  EXPECT_EQ(detail::crc32c(zeros), 0x8a9136aaU);  // RFC 3720, B.4
  EXPECT_EQ(detail::crc32c(Bytes(32, std::byte{0xff})), 0x62a8ab43U);
  EXPECT_EQ(detail::crc32c_of_zeros(32), 0x8a9136aaU);
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Bytes data = random_bytes(random, random.between(0, 9000));
    const auto all = std::span(data);
    const auto half = static_cast<std::size_t>(random.between(0, std::ssize(data)));
    EXPECT_EQ(detail::crc32c(all), detail::crc32c_by_table(all, 0));
    EXPECT_EQ(detail::crc32c(all.subspan(half), detail::crc32c(all.first(half))),
              detail::crc32c(all));
    EXPECT_EQ(detail::crc32c_of_zeros(data.size()), detail::crc32c(Bytes(data.size())));
    const auto rest = all.subspan(half);
    EXPECT_EQ(
        detail::crc32c_times(detail::crc32c_power(rest.size()), detail::crc32c(all.first(half))) ^
            detail::crc32c(rest),
        detail::crc32c(all));
  }
}

TEST(Tiles, AreEqualPartsOfTheRequestAndOfTwoMebibytes) {
  using detail::choose_tile;
  EXPECT_EQ(choose_tile(ElementType::float64, {10000, 10000}, {}), (Index{512, 512}));
  EXPECT_EQ(choose_tile(ElementType::float64, {10000, 10000}, {5000, 5000}), (Index{500, 500}));
  EXPECT_EQ(choose_tile(ElementType::float64, {10000, 10000}, {100, -1}), (Index{100, 2048}));
  EXPECT_EQ(choose_tile(ElementType::int32, {3, 5}, {}), (Index{3, 5}));
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const int dimensions = static_cast<int>(random.between(1, 8));
    Index shape, request;
    for (int d = 0; d < dimensions; ++d) {
      shape.push_back(random.between(0, d == 0 ? 1'000'000'000 : 3000));
      request.push_back(random.chance(0.5) ? -1 : random.between(1, 5000));
    }
    const auto type = static_cast<ElementType>(random.between(0, std::int64_t{element_types} - 1));
    const Index tile = choose_tile(type, shape, random.chance(0.5) ? request : Index{});
    std::int64_t bytes = static_cast<std::int64_t>(size_of(type));
    for (int d = 0; d < dimensions; ++d) {
      EXPECT_GE(tile[d], std::min<std::int64_t>(shape[d], 1));
      EXPECT_LE(tile[d], std::max<std::int64_t>(shape[d], 1));
      bytes *= std::max<std::int64_t>(tile[d], 1);
    }
    EXPECT_LE(bytes, 4 << 20) << shape.to_string() << " " << tile.to_string();
  }
}

template <class T>
class DiskArrays : public testing::Test {};
TYPED_TEST_SUITE(DiskArrays, AllTypes);

/// A disk array and what it should hold, on every rank.
template <Element T>
struct Modelled {
  DiskArray disk;
  std::vector<T> model;

  void step(Random& random) {
    const Index shape = disk.shape();
    const Patch patch = random_patch(random, shape);
    const bool transposed = random.chance(0.5);
    Index array_shape = patch.shape();
    if (transposed) std::reverse(array_shape.begin(), array_shape.end());
    // Inside a larger array.
    Patch inside = whole(array_shape);
    for (int d = 0; d < shape.size(); ++d) {
      const std::int64_t before = random.between(0, 3);
      array_shape[d] += before + random.between(0, 2);
      inside.lo[d] += before;
      inside.hi[d] += before;
    }
    Array<T> array(world(), array_shape,
                   {.layout = random_layout(random, array_shape, world().size())});
    const Transpose form = transposed ? Transpose::yes : Transpose::no;
    const bool writes = random.chance(0.5);
    std::vector<T> packed(static_cast<std::size_t>(patch.elements()));
    if (writes) {
      for (T& value : packed) value = small_value<T>(random);
      if (world().rank() == 0) array.put(inside, packed.data());
      world().sync();
      disk.write(array, inside, patch, form);
    } else {
      disk.read(array, inside, patch, form);
      array.get(inside, packed.data());
    }
    const Index extents = inside.shape(), strides = packed_strides(shape);
    for_each_position(extents, [&](const Index& position, std::int64_t linear) {
      std::int64_t at = 0;
      for (int d = 0; d < shape.size(); ++d)
        at += (patch.lo[d] + position[transposed ? shape.size() - 1 - d : d]) * strides[d];
      T& expected = model[static_cast<std::size_t>(at)];
      const T value = packed[static_cast<std::size_t>(linear)];
      if (writes)
        expected = value;
      else
        ASSERT_EQ(value, expected) << patch.to_string();
    });
    world().sync();
  }
};

TYPED_TEST(DiskArrays, HoldWhatWasWrittenThroughRandomSections) {
  using T = TypeParam;
  const Folder folder;
  for (int round = 0; round < 3; ++round) {
    Random random(static_cast<std::uint64_t>(100 + round));
    const int dimensions = round == 2 ? static_cast<int>(random.between(3, 8)) : round + 1;
    const Index shape = random_shape(random, dimensions, 600);
    Index tile = shape;
    for (std::int64_t& extent : tile) extent = random.between(1, extent);
    const std::string path = folder / ("array" + std::to_string(round));
    DiskArrayOptions options{.tile = tile};
    if (random.chance(0.5)) options.durability = Durability::scratch;
    Modelled<T> modelled{DiskArray::create(world(), path, shape, element_type_of<T>(), options),
                         std::vector<T>(static_cast<std::size_t>(shape.product()))};
    for (int step = 0; step < 12; ++step) modelled.step(random);
    modelled.disk.close();
    modelled.disk = DiskArray::open(world(), path);
    EXPECT_EQ(modelled.disk.shape(), shape);
    EXPECT_EQ(modelled.disk.tile(), tile);
    EXPECT_EQ(modelled.disk.type(), element_type_of<T>());
    modelled.disk.verify();
    for (int step = 0; step < 6; ++step) modelled.step(random);
    Array<T> all(world(), shape);
    modelled.disk.read(all);
    EXPECT_TRUE(holds(all, modelled.model));
    world().sync();
  }
}

TEST(DiskArraysWithLongRows, AreMovedWithoutACopyWhereTheyLieInMemory) {
  const Folder folder;
  const Index shape{23, 330}, tile{5, 130};  // edges: three rows, 70 columns
  std::vector<double> expected(23 * 330);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(i) + 0.25;
  int number = 0;
  for (const Layout& layout : sample_layouts(shape, world().size()))
    for (const bool faulty : {false, true}) {
      const std::string path = folder / std::to_string(number++);
      Array<double> array(world(), shape, {.layout = layout}),
          back(world(), shape, {.layout = layout});
      if (world().rank() == 0) array.put(whole(shape), expected.data());
      world().sync();
      DiskArray disk =
          DiskArray::create(world(), path, shape, ElementType::float64, {.tile = tile});
      std::atomic<int> calls{0};
      const Faults faults([&](detail::FileCall, std::int64_t, std::size_t) -> detail::FileFault {
        const int call = calls++;
        if (faulty && call % 4 == 1) return {.error = EINTR};
        return {.most_bytes = faulty ? static_cast<std::size_t>(1 + call * 317 % 4000) : SIZE_MAX};
      });
      disk.write(array);
      disk.verify();
      disk.read(back);
      EXPECT_TRUE(holds(back, expected)) << number;
      world().sync();
      // Whole tiles into the middle of the array, from another place in it.
      const Patch from{{3, 20}, {13, 150}, {}}, to{{5, 130}, {15, 260}, {}};
      disk.write(array, from, to);
      disk.read(back, from, to);
      std::vector<double> found(10 * 130), wanted(10 * 130);
      back.get(from, found.data());
      array.get(from, wanted.data());
      EXPECT_EQ(found, wanted) << number;
      world().sync();
      const DiskArray again = DiskArray::open(world(), path, false);
      again.verify();
    }
}

TEST(DiskArraysOfAnyRanks, AreReadByFewerAndByMore) {
  const Folder folder;
  const Index shape{13, 17};
  std::vector<double> expected(13 * 17);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(i) + 0.5;
  for (int writers = 1; writers <= world().size(); ++writers)
    for (int readers = 1; readers <= world().size(); ++readers) {
      const std::string path = folder / (std::to_string(writers) + "to" + std::to_string(readers));
      const auto first_ranks = [&](int count) {
        return world().split(world().rank() < count ? 0 : -1);
      };
      if (const Group group = first_ranks(writers)) {
        Array<double> array(group, shape);
        if (group.rank() == 0) array.put(whole(shape), expected.data());
        group.sync();
        DiskArray disk =
            DiskArray::create(group, path, shape, ElementType::float64, {.tile = {4, 5}});
        disk.write(array);
        disk.close();
      }
      world().barrier();
      if (const Group group = first_ranks(readers)) {
        Array<double> array(group, shape, {.layout = Layout::block_cyclic({3, 2})});
        DiskArray disk = DiskArray::open(group, path, false);
        EXPECT_EQ(disk.generation(), 1U);
        disk.read(array);
        EXPECT_TRUE(holds(array, expected));
        EXPECT_TRUE(
            all_throw_error(group, [&] { disk.write(array); }, ErrorKind::state, {"reading only"}));
      }
      world().barrier();
      if (world().rank() == 0) DiskArray::remove(path);
      world().barrier();
      EXPECT_FALSE(std::filesystem::exists(path));
    }
}

TEST(DamagedDiskArrays, NameTheTileAndAreRepairedByWritingAllOfIt) {
  const Folder folder;
  const Index shape{6, 7};
  Array<float> ones(world(), shape), back(world(), shape);
  fill(ones, 1.0);
  DiskArray disk =
      DiskArray::create(world(), folder / "a", shape, ElementType::float32, {.tile = {2, 3}});
  disk.write(ones);
  const detail::DiskLayout layout = layout_of(disk);
  // A byte of tile [2:4, 3:6].
  flip(data_of(disk), layout.offset_of(4) + 5);
  const auto refused = [&](const std::function<void()>& call) {
    EXPECT_TRUE(all_throw_error(world(), call, ErrorKind::file, {"[2:4, 3:6]", "damaged"}));
    EXPECT_EQ(error_number_of(call), EBADMSG);
  };
  refused([&] { disk.read(back); });
  refused([&] { disk.verify(); });
  // What does not touch it is read.
  disk.read(back, {{0, 0}, {2, 7}}, {{0, 0}, {2, 7}});
  // Nor may a part of it make it look whole.
  refused([&] { disk.write(ones, {{2, 3}, {3, 4}}, {{2, 3}, {3, 4}}); });
  disk.write(ones, {{2, 3}, {4, 6}}, {{2, 3}, {4, 6}});
  disk.verify();
  disk.read(back);
  EXPECT_TRUE(holds(back, std::vector<float>(42, 1.0F)));
  world().sync();
}

TEST(DamagedDiskArrays, WithAnyByteOfTheirMetadataChangedAreRefusedOrReadAsTheyWere) {
  const Folder folder;
  const Index shape{3, 4};
  Array<double> values(world(), shape), back(world(), shape);
  fill(values, 2.5);
  const std::string path = folder / "a";
  DiskArray disk = DiskArray::create(world(), path, shape, ElementType::float64, {.tile = {2, 2}});
  disk.write(values);
  const detail::DiskLayout layout = layout_of(disk);
  const std::string data = data_of(disk), record = detail::DiskFolder{path}.record();
  disk.close();
  const std::vector<double> expected(12, 2.5);
  const auto expect_refused = [&](const std::string& file, std::int64_t offset) {
    flip(file, offset);
    EXPECT_EQ(error_number_of([&] { DiskArray::open(world(), path); }), EBADMSG) << file << offset;
    flip(file, offset);
  };
  for (std::int64_t at = 0; at < 16 * layout.tiles + 4; ++at) expect_refused(data, at);
  const std::int64_t skeleton = std::ssize(detail::hdf5_skeleton(layout, "array"));
  for (std::int64_t at = 0; at < skeleton; ++at) expect_refused(data, layout.user_block + at);
  for (std::int64_t at = 0; at < 4096; at += at < 300 ? 1 : 97) expect_refused(record, at);
  expect_refused(record, 4095);
  // The slot of the last commit, then the one before, which is not needed.
  for (const int slot : {0, 1})
    for (std::int64_t at = 0; at < 64 + 4 * layout.tiles; ++at) {
      const std::int64_t offset = detail::slot_offset(layout, slot) + at;
      flip(record, offset);
      DiskArray opened = DiskArray::open(world(), path);
      // Before the last commit all tiles were zero; the log tells what they were to hold next.
      EXPECT_EQ(error_number_of([&] { opened.read(back); }), 0) << at;
      EXPECT_TRUE(holds(back, expected)) << at;
      world().sync();
      opened.close();
      flip(record, offset);
    }
  if (world().rank() == 0) std::filesystem::resize_file(data, 5000);
  world().barrier();
  EXPECT_EQ(error_number_of([&] { DiskArray::open(world(), path); }), EBADMSG);
  if (world().rank() == 0) std::filesystem::remove(record);
  world().barrier();
  EXPECT_EQ(error_number_of([&] { DiskArray::open(world(), path); }), ENOENT);
}

TEST(FailingDisks, LeaveNothingOfAnArrayThatCouldNotBeMade) {
  const Folder folder;
  const std::string path = folder / "a";
  for (const int error : {EIO, ENOSPC})
    for (int nth = 0;; ++nth) {
      ASSERT_LT(nth, 100);
      bool happened = false;
      {
        const FailNth failing(nth, error);
        const int told = error_number_of([&] {
          DiskArray::create(world(), path, {5, 6}, ElementType::int32, {.tile = {2, 2}}).close();
        });
        happened = !everywhere(!failing.happened(nth));
        EXPECT_EQ(told, happened ? error : 0) << nth;
      }
      world().barrier();
      EXPECT_EQ(std::filesystem::exists(path), !happened) << nth;
      world().barrier();
      if (happened) continue;
      DiskArray::open(world(), path).verify();
      world().barrier();
      if (world().rank() == 0) DiskArray::remove(path);
      world().barrier();
      break;
    }
}

TEST(FailingDisks, NeverGiveAWrongValueAfterAWriteThatFailed) {
  const Folder folder;
  const Index shape{5, 6};
  Array<std::int32_t> values(world(), shape), back(world(), shape);
  for (const int error : {EIO, ENOSPC})
    for (int nth = 0;; ++nth) {
      ASSERT_LT(nth, 100);
      const std::string path = folder / ("a" + std::to_string(nth));
      fill(values, 1);
      DiskArray disk =
          DiskArray::create(world(), path, shape, ElementType::int32, {.tile = {2, 4}});
      disk.write(values);
      fill(values, 2);
      bool happened = false;
      {
        const FailNth failing(nth, error);
        const int told =
            error_number_of([&] { disk.write(values, {{1, 0}, {5, 6}}, {{1, 0}, {5, 6}}); });
        happened = !everywhere(!failing.happened(nth));
        EXPECT_EQ(told, happened ? error : 0) << nth;
      }
      EXPECT_EQ(error_number_of([&] { disk.close(); }), happened ? error : 0) << nth;
      disk = DiskArray::open(world(), path);
      const detail::DiskLayout layout = layout_of(disk);
      for (std::int64_t tile = 0; tile < layout.tiles; ++tile) {
        const Patch patch = layout.patch_of(tile);
        const int told = error_number_of([&] { disk.read(back, patch, patch); });
        EXPECT_TRUE(told == 0 || (happened && told == EBADMSG)) << told;
        if (told != 0) continue;
        std::vector<std::int32_t> found(static_cast<std::size_t>(patch.elements()));
        back.get(patch, found.data());
        // The last element of each tile is of the section that was written.
        EXPECT_TRUE(found.back() == 2 || (happened && found.back() == 1)) << found.back();
        world().sync();
      }
      // It can be written again.
      disk.write(values);
      disk.verify();
      disk.close();
      if (world().rank() == 0) DiskArray::remove(path);
      world().barrier();
      if (!happened) break;
    }
}

TEST(DiskArrayArguments, ThatAreBadAreRefusedByAll) {
  const Folder folder;
  const auto refused = [&](const std::function<void()>& call, ErrorKind kind,
                           const std::string& text) {
    EXPECT_TRUE(all_throw_error(world(), call, kind, {text}));
  };
  const auto made = [&](const Index& shape, const DiskArrayOptions& options) {
    return [&, shape, options] {
      DiskArray::create(world(), folder / "bad", shape, ElementType::float64, options);
    };
  };
  refused(made({}, {}), ErrorKind::value, "at least one dimension");
  refused(made({3, -1}, {}), ErrorKind::value, "(3, -1)");
  refused(made({3, 4}, {.tile = {3}}), ErrorKind::value, "tile (3)");
  refused(made({3, 4}, {.tile = {4, 4}}), ErrorKind::value, "tile (4, 4)");
  refused(made({3, 4}, {.tile = {0, 4}}), ErrorKind::value, "tile (0, 4)");
  refused(made({3, 4}, {.request = {3}}), ErrorKind::value, "options.request is (3)");
  refused(made({3, 4}, {.name = "a/b"}), ErrorKind::value, "options.name is 'a/b'");
  refused(made({INT64_MAX, 16}, {}), ErrorKind::value, "more bytes than a file can hold");
  refused(made({1 << 16, 1 << 16}, {.tile = {1 << 16, 1 << 16}}), ErrorKind::value, "at most");
  EXPECT_EQ(entries_of(folder.path()), 0U);
  world().barrier();

  DiskArray disk = DiskArray::create(world(), folder / "a", {4, 6}, ElementType::float64);
  EXPECT_EQ(error_number_of(
                [&] { DiskArray::create(world(), folder / "a", {4, 6}, ElementType::float64); }),
            EEXIST);
  Array<double> array(world(), {4, 6}), other(world(), {6, 4});
  Array<float> single(world(), {4, 6});
  refused([&] { disk.write(other); }, ErrorKind::value, "different shapes");
  disk.write(other, whole(other.shape()), whole(disk.shape()), Transpose::yes);
  refused([&] { disk.read(single); }, ErrorKind::type, "float32");
  refused([&] { disk.read(array, {{0, 0}, {1, 1}}, {{4, 0}, {5, 1}}); }, ErrorKind::index,
          "outside disk array");
  refused([&] { disk.read(array, {{0, 0}, {1, 7}}, {{0, 0}, {1, 6}}); }, ErrorKind::index,
          "outside array");
  refused([&] { disk.write(array, {{0, 0}, {4, 6}, {1, 2}}, {{0, 0}, {4, 3}}); }, ErrorKind::value,
          "has steps");
  disk.write(array, {{2, 2}, {2, 2}}, {{1, 1}, {1, 1}});  // nothing
  disk.close();
  refused([&] { disk.write(array); }, ErrorKind::state, "closed");
  refused([&] { DiskArray::open(world(), folder / "none"); }, ErrorKind::file, "No such file");
  if (world().rank() == 0) {
    EXPECT_TRUE(throws_error([&] { DiskArray::remove(folder.path()); }, ErrorKind::file,
                             {"is no disk array"}));
  }
}

TEST(DiskArrayArguments, ArraysWithoutElementsAreArraysToo) {
  const Folder folder;
  DiskArray disk = DiskArray::create(world(), folder / "a", {0, 5}, ElementType::complex64);
  Array<std::complex<float>> array(world(), {0, 5});
  disk.write(array);
  disk.read(array);
  disk.verify();
  disk.close();
  EXPECT_EQ(DiskArray::open(world(), folder / "a").shape(), (Index{0, 5}));
}

}  // namespace
}  // namespace lagoon::atoll::test
