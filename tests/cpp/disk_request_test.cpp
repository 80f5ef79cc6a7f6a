// Disk arrays while the program goes on: several requests under way, their errors, arrays that take
// the place of others as a whole. Collective.
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "atoll/disk_array.hpp"
#include "disk/open_file.hpp"
#include "file_support.hpp"
#include "mirror_support.hpp"

namespace lagoon::atoll::test {
namespace {

using Clock = std::chrono::steady_clock;

template <Element T>
T element(const Array<T>& array, std::int64_t row, std::int64_t column) {
  T value{};
  array.get({{row, column}, {row + 1, column + 1}, {}}, &value);
  return value;
}

bool all_equal(const Array<double>& a, const Array<double>& b) {
  std::vector<double> x(static_cast<std::size_t>(a.elements())), y(x.size());
  a.get(whole(a.shape()), x.data());
  b.get(whole(b.shape()), y.data());
  return x == y;
}

/// A request under way, and what its array holds, or should hold when it has been read.
struct UnderWay {
  std::unique_ptr<Array<double>> array;
  std::vector<double> expected;
  bool reads;
  DiskRequest request;
};

void for_each_linear(const Patch& patch, const Index& shape,
                     const std::function<void(std::size_t, std::size_t)>& f) {
  const Index strides = packed_strides(shape);
  for_each_position(patch.shape(), [&](const Index& position, std::int64_t linear) {
    std::int64_t at = 0;
    for (int d = 0; d < shape.size(); ++d) at += (patch.lo[d] + position[d]) * strides[d];
    f(static_cast<std::size_t>(linear), static_cast<std::size_t>(at));
  });
}

UnderWay begin_random(Random& random, DiskArray& disk, std::vector<double>& model) {
  const Patch patch = random_patch(random, disk.shape());
  UnderWay next{std::make_unique<Array<double>>(
                    world(), patch.shape(),
                    ArrayOptions{.layout = random_layout(random, patch.shape(), world().size())}),
                std::vector<double>(static_cast<std::size_t>(patch.elements())),
                random.chance(0.5),
                {}};
  const Patch all = whole(patch.shape());
  if (next.reads) {
    for_each_linear(patch, disk.shape(),
                    [&](std::size_t i, std::size_t at) { next.expected[i] = model[at]; });
    next.request = disk.read_async(*next.array, all, patch);
    return next;
  }
  for (double& value : next.expected) value = static_cast<double>(random.between(-1000, 1000));
  if (world().rank() == 0) next.array->put(all, next.expected.data());
  for_each_linear(patch, disk.shape(),
                  [&](std::size_t i, std::size_t at) { model[at] = next.expected[i]; });
  next.request = disk.write_async(*next.array, all, patch);
  return next;
}

TEST(DiskRequests, ActAsIfOneCameAfterTheOtherInAnyOrderOfWaiting) {
  const Folder folder;
  const Index shape{37, 29};
  for (int round = 0; round < 6; ++round) {
    Random random(static_cast<std::uint64_t>(round + 40));
    const std::string path = folder / std::to_string(round);
    DiskArray disk = DiskArray::create(
        world(), path, shape, ElementType::float64,
        {.tile = {random.between(1, 12), random.between(1, 12)},
         .durability = random.chance(0.5) ? Durability::scratch : Durability::in_place});
    std::vector<double> model(static_cast<std::size_t>(shape.product()));
    for (int batch = 0; batch < 4; ++batch) {
      std::vector<UnderWay> under_way;
      for (int i = 0; i < 6; ++i) under_way.push_back(begin_random(random, disk, model));
      std::vector<UnderWay> dropped;
      while (!under_way.empty()) {
        const auto which = random.between(0, std::ssize(under_way) - 1);
        UnderWay next = std::move(under_way[static_cast<std::size_t>(which)]);
        under_way.erase(under_way.begin() + which);
        if (!next.reads && random.chance(0.3)) {
          next.request = {};  // ended by whoever touches its tiles
          dropped.push_back(std::move(next));
          continue;
        }
        next.request.wait();
        EXPECT_TRUE(next.request.test());
        next.request.wait();  // harmless
        EXPECT_TRUE(holds(*next.array, next.expected)) << round;
        world().sync();
      }
      disk.verify();  // ends those too
    }
    disk.close();
    DiskArray again = DiskArray::open(world(), path, false);
    Array<double> all(world(), shape);
    again.read_async(all).wait();
    EXPECT_TRUE(holds(all, model)) << round;
    world().sync();
  }
}

TEST(DiskRequests, GoOnWhileTheProgramStaysOutsideAtoll) {
  const Folder folder;
  const bool on_device =
      !detail::OpenFile(folder.mine("probe") + "/file", {.creates = true}).in_memory();
  const Index shape{64, 64};
  Array<double> array(world(), shape);
  fill(array, 1.5);
  for (const Durability durability : {Durability::scratch, Durability::in_place}) {
    std::atomic<int> writes{0}, syncs{0};
    DiskArray disk =
        DiskArray::create(world(), folder / std::to_string(static_cast<int>(durability)), shape,
                          ElementType::float64, {.tile = {8, 64}, .durability = durability});
    const Faults faults([&](detail::FileCall call, std::int64_t, std::size_t) {
      if (call == detail::FileCall::write) ++writes;
      if (call == detail::FileCall::sync) ++syncs;
      return detail::FileFault{};
    });
    DiskRequest request = disk.write_async(array);
    // Rank 0 has tiles at any number of ranks up to eight.
    const auto limit = Clock::now() + std::chrono::seconds(20);
    const bool mine = world().size() <= 8 && world().nodes() == 1;
    // The log, where there is a device to bring it to, and the tiles.
    const int syncs_in_place = on_device ? 2 : 1;
    const int wanted_syncs = durability == Durability::in_place ? syncs_in_place : 0;
    while (mine && (writes == 0 || syncs < wanted_syncs) && Clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (mine) {
      EXPECT_GE(writes, 8 / world().size());
      EXPECT_EQ(syncs, wanted_syncs);
    }
    request.wait();
    disk.verify();
    disk.close();
  }
}

TEST(DiskRequests, MoveTilesWhosePartsLieOnSeveralNodes) {
  const Folder folder;
  // Tiles of all rows: their parts on another node are streams over the same bytes of its memory.
  const Index shape{70, 4096};
  const std::int64_t blocks[] = {1, 16};
  for (const std::int64_t columns : blocks)
    for (const bool scattered : {false, true}) {
      const ArrayOptions options{.layout = scattered ? Layout::block_cyclic({5, 4096 / 64})
                                                     : Layout::blocked({1, 4096})};
      Array<double> array(world(), shape, options), back(world(), shape, options);
      random_fill(array, 3);
      DiskArray disk = DiskArray::create(
          world(), folder / (std::to_string(columns) + (scattered ? "s" : "b")), shape,
          ElementType::float64, {.tile = {70, 4096 / columns}, .durability = Durability::scratch});
      for (const bool aside : {false, true}) {
        fill(back, 0);
        if (aside) {
          disk.write_async(array).wait();
          disk.read_async(back).wait();
        } else {
          disk.write(array);
          disk.read(back);
        }
        disk.verify();
        EXPECT_TRUE(all_equal(array, back)) << columns << scattered << aside;
        world().sync();
      }
    }
}

TEST(DiskRequests, TellTheirOwnErrorsAndNotThoseOfOthers) {
  const Folder folder;
  const Index shape{8, 8};
  Array<double> ones(world(), shape), back(world(), shape);
  fill(ones, 1.0);
  const std::string path = folder / "a";
  DiskArray disk = DiskArray::create(world(), path, shape, ElementType::float64, {.tile = {4, 8}});
  const Patch upper{{0, 0}, {4, 8}, {}}, lower{{4, 0}, {8, 8}, {}};
  {
    // The file of tiles refuses the lower tile, whoever writes it.
    const std::int64_t offset = 2 * 4096 + 4 * 8 * 8;
    const Faults faults([&](detail::FileCall call, std::int64_t at, std::size_t) {
      return detail::FileFault{
          .error =
              call == detail::FileCall::write && at >= offset && at < offset + 4 * 8 * 8 ? EIO : 0};
    });
    DiskRequest requests[2] = {disk.write_async(ones, lower, lower),
                               disk.write_async(ones, upper, upper)};
    EXPECT_EQ(error_number_of([&] { wait_all_disk(requests); }), EIO);
    DiskRequest again = disk.write_async(ones, lower, lower);
    // This one must wait for the one before; it is not to blame.
    EXPECT_EQ(error_number_of([&] { disk.write_async(ones, upper, upper).wait(); }), 0);
    DiskRequest third = disk.write_async(ones, lower, lower);
    EXPECT_EQ(error_number_of([&] { again.wait(); }), EIO);
    third = {};
    EXPECT_EQ(error_number_of([&] { disk.close(); }), EIO);  // nobody has waited for it
  }
  disk = DiskArray::open(world(), path);
  disk.read(back, upper, upper);
  EXPECT_EQ(element(back, 0, 0), 1.0);
  disk.write_async(ones).wait();
  disk.verify();
  world().sync();
}

TEST(DiskRequests, LeaveNoFileOpenOnceTheirArrayIsClosed) {
  const Folder folder;
  Array<double> values(world(), {64, 48});
  fill(values, 1);
  for (int round = 0; round < 20; ++round) {
    DiskArray disk = DiskArray::create(world(), folder / std::to_string(round), values.shape(),
                                       ElementType::float64, {.tile = {16, 48}});
    const bool fails = round % 2 == 1;
    const Faults faults([&](detail::FileCall call, std::int64_t, std::size_t) {
      return detail::FileFault{.error = fails && call == detail::FileCall::write ? EIO : 0};
    });
    EXPECT_EQ(error_number_of([&] { disk.write(values); }), fails ? EIO : 0);
    const DiskRequest kept = disk.write_async(values);
    EXPECT_EQ(error_number_of([&] { disk.close(); }), fails ? EIO : 0);
    EXPECT_EQ(open_files_in(folder.path()), 0U) << round;
  }
}

TEST(DiskRequests, OfArraysThatDoNotFitAreRefusedByAll) {
  const Folder folder;
  DiskArray disk = DiskArray::create(world(), folder / "a", {4, 6}, ElementType::float64);
  Array<float> single(world(), {4, 6});
  EXPECT_TRUE(all_throw_error(world(), [&] { disk.write_async(single).wait(); }, ErrorKind::type,
                              {"float32"}));
  disk.close();
  EXPECT_TRUE(all_throw_error(world(), [&] { disk.write_async(single).wait(); }, ErrorKind::state,
                              {"closed"}));
}

TEST(Checkpoints, AreTheOldArrayOrTheNewOneWhicheverCallFails) {
  const Folder folder(in_memory), on_disk;
  const Index shape{5, 6};
  Array<std::int32_t> values(world(), shape), back(world(), shape);
  const DiskArrayOptions options{.tile = {2, 4}, .durability = Durability::checkpoint};
  // EINVAL: also what a file system says that cannot exchange names.
  const std::pair<bool, int> cases[] = {{true, EIO}, {false, EIO}, {false, EINVAL}};
  for (const auto& [first, error] : cases)
    for (int nth = 0;; ++nth) {
      ASSERT_LT(nth, 100);
      const std::string path =
          (first ? on_disk : folder) /
          ((first ? "a" : "b") + std::to_string(nth) + "-" + std::to_string(error));
      const auto save = [&](int value) {
        fill(values, value);
        DiskArray disk = DiskArray::create(world(), path, shape, ElementType::int32, options);
        DiskRequest request = disk.write_async(values);
        disk.close();
      };
      if (!first) save(1);
      bool happened = false;
      int told = 0;
      {
        const FailNth failing(nth, error);
        told = error_number_of([&] { save(2); });
        happened = !everywhere(!failing.happened(nth));
      }
      EXPECT_TRUE(happened || told == 0) << nth;
      world().barrier();
      const bool there = std::filesystem::exists(path);
      world().barrier();
      EXPECT_TRUE(there || (first && told != 0)) << nth;
      if (there) {
        DiskArray::open(world(), path).read(back);
        const std::int32_t found = element(back, 0, 0);
        // An error after the new one took its place is told, too.
        EXPECT_TRUE(found == 2 || (found == 1 && told == error)) << nth << ": " << found;
        world().sync();
        fill(values, found);
        EXPECT_TRUE(holds(back, std::vector<std::int32_t>(30, found)));
        world().sync();
      }
      save(3);  // whatever has been left
      DiskArray::open(world(), path).read(back);
      EXPECT_EQ(element(back, 4, 5), 3);
      world().sync();
      EXPECT_FALSE(std::filesystem::exists(path + ".atoll-new"));
      world().barrier();
      if (!happened) break;
    }
}

TEST(Checkpoints, ThatSomebodyElseHasBegunAnewAreNotPutInPlace) {
  const Folder folder;
  const std::string path = folder / "a";
  Array<double> ones(world(), {4});
  fill(ones, 1);
  const DiskArrayOptions options{.durability = Durability::checkpoint};
  const auto create = [&] {
    return DiskArray::create(world(), path, {4}, ElementType::float64, options);
  };
  DiskArray disk = create();
  disk.write(ones);
  DiskArray other = create();
  EXPECT_EQ(error_number_of([&] { disk.close(); }), ESTALE);
  EXPECT_FALSE(std::filesystem::exists(path));
  world().barrier();
  other.write(ones);
  other.close();
  DiskArray::open(world(), path + "/").verify();
}

TEST(Checkpoints, DoNotTakeThePlaceOfOtherFiles) {
  const Folder folder;
  const std::string path = folder / "precious";
  if (world().rank() == 0) {
    std::filesystem::create_directory(path);
    std::ofstream(path + "/thesis.txt") << "words";
  }
  world().barrier();
  const DiskArrayOptions options{.durability = Durability::checkpoint};
  EXPECT_EQ(error_number_of(
                [&] { DiskArray::create(world(), path, {3}, ElementType::float64, options); }),
            EEXIST);
  EXPECT_TRUE(std::filesystem::exists(path + "/thesis.txt"));
  world().barrier();
  DiskArray::create(world(), folder / "a", {3}, ElementType::float64, options).close();
  EXPECT_TRUE(all_throw_error(
      world(), [&] { DiskArray::open(world(), folder / "a", true, Durability::checkpoint); },
      ErrorKind::value, {"durability is checkpoint"}));
}

TEST(SpaceOnDisk, IsTakenWhenAnArrayIsMadeUnlessItIsSparse) {
  const Folder folder;
  for (const bool sparse : {false, true}) {
    const std::string path = folder / (sparse ? "sparse" : "dense");
    DiskArray::create(world(), path, {1 << 17}, ElementType::float64, {.sparse = sparse}).close();
    struct stat status{};
    ASSERT_EQ(stat((path + "/c/0").c_str(), &status), 0);
    EXPECT_EQ(status.st_blocks * 512 > 1 << 20, !sparse);
    world().barrier();
  }
}

TEST(DiskArraysOfManyGibibytes, AreWrittenAndReadBeyondThe32ndBit) {
  const Folder folder;
  const std::int64_t rows = std::int64_t{1} << 20;
  DiskArray disk = DiskArray::create(world(), folder / "a", {rows, 1024}, ElementType::float64,
                                     {.tile = {16, 1024}, .sparse = true});
  Array<double> array(world(), {32, 1024}), back(world(), {32, 1024});
  fill(array, 7.25);
  const Patch all = whole({32, 1024});
  for (const std::int64_t row : {(std::int64_t{1} << 19) - 16, rows - 32}) {
    disk.write(array, all, {{row, 0}, {row + 32, 1024}});
    disk.read(back, all, {{row, 0}, {row + 32, 1024}});
    EXPECT_EQ(element(back, 31, 1023), 7.25);
    EXPECT_EQ(element(back, 0, 0), 7.25);
    world().sync();
  }
  disk.read(back, all, {{1000, 0}, {1032, 1024}});
  EXPECT_EQ(element(back, 3, 3), 0.0);
  disk.close();
}

}  // namespace
}  // namespace lagoon::atoll::test
