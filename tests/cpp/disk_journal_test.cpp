// Records of arrays of many tiles: commits of few of them go to the journal. What it costs, when it
// is folded, what is found when a commit has failed, beside a writer, and in records of the first
// version. Collective.
#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>

#include "algebra_support.hpp"
#include "atoll/disk_array.hpp"
#include "disk/crc32c.hpp"
#include "disk/disk_folder.hpp"
#include "file_support.hpp"
#include "no_memory.hpp"

namespace lagoon::atoll::test {
namespace {

namespace fs = std::filesystem;

// A slot of three pages, a journal of two.
constexpr std::int64_t tiles = 3000;

class JournaledDiskArrays : public testing::Test {
 protected:
  DiskArray create(Durability durability = Durability::in_place) const {
    return DiskArray::create(world(), path_, {tiles}, ElementType::uint8,
                             {.tile = {1}, .durability = durability});
  }
  void write(DiskArray& disk, const Patch& patch, std::uint8_t value) {
    fill(values_, static_cast<int>(value));
    for (std::int64_t i = patch.lo[0]; i < patch.hi[0]; ++i)
      model_[static_cast<std::size_t>(i)] = value;
    disk.write(values_, patch, patch);
  }
  void expect_model(const DiskArray& disk) {
    disk.read(back_);
    EXPECT_TRUE(holds(back_, model_));
    world().sync();
  }
  static void on_first(const std::function<void()>& work) {
    world().barrier();
    if (world().rank() == 0) work();
    world().barrier();
  }

  const detail::DiskLayout layout_{ElementType::uint8, {tiles}, {1}};
  const Folder folder_{in_memory};
  const std::string path_ = folder_ / "a", record_ = detail::DiskFolder{path_}.record();
  Array<std::uint8_t> values_{world(), {tiles}}, back_{world(), {tiles}};
  std::vector<std::uint8_t> model_ = std::vector<std::uint8_t>(tiles);
};

Patch one_tile(std::int64_t tile) { return {{tile}, {tile + 1}, {}}; }

TEST_F(JournaledDiskArrays, WriteToTheirRecordWhatACommitChangesAndNotAllTiles) {
  DiskArray disk = create();
  std::atomic<std::int64_t> bytes{0};
  detail::set_file_event_hook([&](const detail::FileEvent& event) {
    if (event.path == record_) bytes += std::ssize(event.data);
  });
  write(disk, one_tile(7), 1);
  write(disk, {{1000}, {1300}, {}}, 2);
  detail::set_file_event_hook({});
  EXPECT_EQ(world().reduce(bytes.load()), 2 * detail::record_page);
  expect_model(disk);
}

TEST_F(JournaledDiskArrays, AreWhatWasWrittenWhereverTheJournalIsFolded) {
  DiskArray disk = create();
  DiskArray reader = DiskArray::open(world(), path_, false);
  Random random(5);
  for (int round = 1; round <= 60; ++round) {
    const std::int64_t most = random.chance(0.2) ? 1500 : random.chance(0.5) ? 400 : 1;
    const std::int64_t first = random.between(0, tiles - 1);
    write(disk, {{first}, {std::min(first + random.between(1, most), tiles)}, {}},
          static_cast<std::uint8_t>(round));
    if (round % 3 == 0) expect_model(reader);
    if (round % 7 == 0) {
      disk.close();
      disk = DiskArray::open(world(), path_);
    }
    EXPECT_EQ(disk.generation(), static_cast<std::uint64_t>(round));
  }
  disk.verify();
  reader.verify();
  reader.refresh();
  EXPECT_EQ(reader.generation(), 60U);
}

TEST_F(JournaledDiskArrays, AreReadAsTheyWereWhateverByteOfTheJournalHasChanged) {
  DiskArray disk = create();
  write(disk, one_tile(3), 1);
  write(disk, one_tile(2000), 2);
  disk.close();
  const auto expect_found = [&](std::int64_t at) {
    flip(record_, at);
    const DiskArray opened = DiskArray::open(world(), path_, false);
    // The log tells what tiles hold whose commit is not there.
    expect_model(opened);
    flip(record_, at);
  };
  const std::int64_t journal = detail::journal_offset(layout_);
  for (const std::int64_t block : {journal, journal + detail::record_page})
    for (std::int64_t at = 0; at < 80; at += 3) expect_found(block + at);
  for (int slot = 0; slot < 2; ++slot)
    for (std::int64_t at = 0; at < 64 + 4 * tiles; at += 611)
      if (slot == 0) expect_found(detail::slot_offset(layout_, slot) + at);
}

TEST_F(JournaledDiskArrays, LoseNothingWhenACommitHasFailedAndTheWriteIsDoneAgain) {
  // Of one tile each: two to the journal, one to a slot, and so on.
  for (int failing_commit = 1; failing_commit <= 3; ++failing_commit)
    for (int nth = 0;; ++nth) {
      ASSERT_LT(nth, 60);
      bool failed = false;
      DiskArray disk = create();
      for (std::uint8_t commit = 1; commit <= 5; ++commit) {
        const Patch patch = one_tile(commit * 500);
        if (commit == failing_commit) {
          const FailNth failing(nth, EIO);
          failed = error_number_of([&] { write(disk, patch, 100); }) != 0;
        }
        write(disk, patch, commit);
        expect_model(DiskArray::open(world(), path_, false));
      }
      disk.verify();
      disk.close();
      disk = DiskArray::open(world(), path_);
      expect_model(disk);
      write(disk, one_tile(1), 9);
      disk.close();
      expect_model(DiskArray::open(world(), path_, false));
      on_first([&] { DiskArray::remove(path_); });
      std::fill(model_.begin(), model_.end(), std::uint8_t{});
      if (!failed) break;
    }
}

TEST_F(JournaledDiskArrays, OfTheFirstVersionAreReadAndWrittenAsBefore) {
  DiskArray disk = create();
  write(disk, {{0}, {tiles}, {}}, 1);
  disk.close();
  const detail::DiskDescription first{layout_, "array", 0, 0, 1};
  const auto set_version = [&](std::uint64_t version) {
    on_first([&] {
      detail::DiskDescription other = first;
      other.version = version;
      const Bytes bytes = detail::encode(other);
      std::fstream(record_, std::ios::binary | std::ios::in | std::ios::out)
          .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
      if (version == 1)
        fs::resize_file(
            record_, static_cast<std::uintmax_t>(detail::slot_offset(layout_, 1)) + 64 + 4 * tiles);
    });
  };
  set_version(1);
  disk = DiskArray::open(world(), path_);
  expect_model(disk);
  for (std::uint8_t value = 2; value < 6; ++value) write(disk, one_tile(value * 100), value);
  EXPECT_EQ(disk.generation(), 5U);
  disk.close();
  expect_model(DiskArray::open(world(), path_, false));
  // Whoever knows the first version only finds the last two commits in its slots.
  EXPECT_EQ(std::ssize(contents_of(record_)), detail::slot_offset(layout_, 1) + 64 + 4 * tiles);
  const Bytes record = contents_of(record_);
  for (const int slot : {0, 1}) {
    const auto found = detail::decode_commit(
        layout_,
        std::span(record).subspan(static_cast<std::size_t>(detail::slot_offset(layout_, slot))));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->generation, slot == 0 ? 6U : 5U);
    std::vector<std::uint8_t> expected = model_;
    if (slot == 1) expected[500] = 1;  // as before the last one
    for (std::size_t tile = 0; tile < expected.size(); ++tile)
      EXPECT_EQ(found->checksums[tile],
                detail::crc32c(std::as_bytes(std::span(expected).subspan(tile, 1))));
  }
  set_version(3);
  EXPECT_TRUE(all_throw_error(world(), [&] { DiskArray::open(world(), path_); },
                              ErrorKind::unsupported, {"version 3", "knows 1 to 2"}));
}

TEST_F(JournaledDiskArrays, OnPrivateDisksGoBackToTheCommitThatAllNodesHaveAndOnFromThere) {
  const std::string path = folder_ / "{node}";
  const std::string last = folder_ / std::to_string(world().nodes() - 1);
  // The commit that the last node has not is one of the journal, or of a slot.
  for (std::uint8_t before = 0; before < 4; ++before) {
    DiskArray disk = DiskArray::create(world(), path, {tiles}, ElementType::uint8, {.tile = {1}});
    write(disk, {{0}, {tiles}, {}}, 1);
    for (std::uint8_t i = 0; i < before; ++i) write(disk, one_tile(100 * i), 10);
    const Bytes record = contents_of(last + "/atoll.record");
    write(disk, one_tile(2500), 20);
    disk.close();
    on_first([&] {
      std::ofstream(last + "/atoll.record", std::ios::binary)
          .write(reinterpret_cast<const char*>(record.data()), std::ssize(record));
    });
    disk = DiskArray::open(world(), path);
    EXPECT_EQ(disk.generation(), 1U + before);
    expect_model(disk);  // by the log of intents
    write(disk, one_tile(7), 30);
    write(disk, one_tile(2999), 40);
    disk.verify();
    disk.close();
    disk = DiskArray::open(world(), path);
    EXPECT_EQ(disk.generation(), 3U + before);
    expect_model(disk);
    disk.close();
    world().barrier();
    if (world().node_ranks().front() == world().rank())
      DiskArray::remove(folder_ / std::to_string(world().node()));
    world().barrier();
  }
}

TEST_F(JournaledDiskArrays, AreNeverCalledDamagedByReadersBesideAWriter) {
  create().close();
  if (world().rank() == 0) {
    const auto log = [&] {
      return detail::CommitLog(std::make_shared<detail::OpenFile>(record_, detail::OpenMode{}),
                               {layout_, "array"});
    };
    std::atomic<bool> over{false};
    std::thread writer([&] {
      detail::CommitLog mine = log();
      detail::DiskCommit now = mine.read();
      // Of three commits two go to the journal: each changes the tile of its number.
      for (int i = 0; i < 1500; ++i) {
        const auto number = static_cast<std::uint32_t>(now.generation + 1);
        const detail::TileChecksum change{number % tiles, number};
        mine.write(now, std::span(&change, 1));
        now.checksums[static_cast<std::size_t>(change.tile)] = change.checksum;
        now.generation = number;
      }
      over = true;
    });
    detail::CommitLog reading = log();
    std::uint64_t before = 0;
    const std::uint32_t zero = detail::crc32c_of_zeros(1);
    while (!over) {
      const detail::DiskCommit found = reading.read();
      EXPECT_GE(found.generation, before);
      before = found.generation;
      for (std::uint64_t tile = 2; tile < static_cast<std::uint64_t>(tiles); ++tile)
        if (found.checksums[tile] != (tile <= found.generation ? tile : zero)) {
          ADD_FAILURE() << tile << " at " << found.generation;
          break;
        }
    }
    writer.join();
    EXPECT_EQ(reading.read().generation, 1501U);
    EXPECT_FALSE(reading.has_newer());
  }
  world().barrier();
}

TEST(DiskArraysOfMillionsOfTiles, AreNotWrittenByAnybodyWhereOneRankHasNoMemoryForIt) {
  if (!NoMemory::works()) GTEST_SKIP() << "sanitizers take memory of their own";
  const Folder folder{in_memory};
  constexpr std::int64_t many = 1 << 19;
  DiskArray disk =
      DiskArray::create(world(), folder / "a", {many}, ElementType::uint8,
                        {.tile = {1}, .durability = Durability::scratch, .sparse = true});
  Array<std::uint8_t> values(world(), {many});
  const auto write = [&] {
    const std::optional<NoMemory> none = world().rank() == world().size() - 1
                                             ? std::optional<NoMemory>(std::in_place)
                                             : std::nullopt;
    disk.write(values);
  };
  EXPECT_TRUE(all_throw_error(world(), write, ErrorKind::memory, {"no memory"}));
  // Nothing has been touched, and it is used on.
  fill(values, 3);
  disk.write(values, {{5}, {15}, {}}, {{5}, {15}, {}});
  disk.sync();
  Array<std::uint8_t> back(world(), {20});
  disk.read(back, {{0}, {20}, {}}, {{0}, {20}, {}});
  std::vector<std::uint8_t> expected(20);
  std::fill(expected.begin() + 5, expected.begin() + 15, std::uint8_t{3});
  EXPECT_TRUE(holds(back, expected));
  world().sync();
  disk.close();
}

}  // namespace
}  // namespace lagoon::atoll::test
