// Two that use one disk array: two writers, a reader beside a writer, a reader while another array
// takes the place of the one that it opens, and what a killed writer has left. Collective.
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "algebra_support.hpp"
#include "atoll/checkpoint.hpp"
#include "atoll/disk_array.hpp"
#include "disk/disk_folder.hpp"
#include "disk/names.hpp"
#include "file_support.hpp"

namespace lagoon::atoll::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t elements = 48;

class SharedDiskArrays : public testing::Test {
 protected:
  DiskArray create(const std::string& path, double value,
                   Durability durability = Durability::in_place) {
    DiskArray disk = DiskArray::create(world(), path, shape, ElementType::float64,
                                       {.tile = tile, .durability = durability});
    fill(values_, value);
    disk.write(values_);
    return disk;
  }
  void expect_values(const DiskArray& disk, double value) {
    disk.read(back_);
    EXPECT_TRUE(holds(back_, std::vector<double>(elements, value)));
    world().sync();
  }
  /// By one rank, between barriers.
  static void on_first(const std::function<void()>& work) {
    world().barrier();
    if (world().rank() == 0) work();
    world().barrier();
  }

  const Index shape{6, 8}, tile{2, 8};
  const Folder folder_{in_memory};
  const std::string path_ = folder_ / "a";
  Array<double> values_{world(), shape}, back_{world(), shape};
};

TEST_F(SharedDiskArrays, HaveOneWriterAtATime) {
  const DiskArrayOptions replacing{.tile = tile, .durability = Durability::checkpoint};
  DiskArray disk = create(path_, 1);
  const auto open = [&] { DiskArray::open(world(), path_); };
  EXPECT_TRUE(all_throw_error(world(), open, ErrorKind::file, {path_, "for writing already"}));
  EXPECT_EQ(error_number_of(open), EBUSY);
  EXPECT_EQ(error_number_of(
                [&] { DiskArray::create(world(), path_, shape, ElementType::float64, replacing); }),
            EBUSY);
  on_first([&] {
    EXPECT_EQ(error_number_of([&] { DiskArray::remove(path_); }), EBUSY);
    EXPECT_TRUE(DiskArray::is_open_for_writing(path_));
  });
  expect_values(DiskArray::open(world(), path_, false), 1);
  fill(values_, 2);
  disk.write(values_);
  disk.close();
  on_first([&] { EXPECT_FALSE(DiskArray::is_open_for_writing(path_)); });
  expect_values(DiskArray::open(world(), path_), 2);
}

TEST_F(SharedDiskArrays, AreNotReplacedWhileSomebodyWritesThem) {
  create(path_, 1).close();
  DiskArray replacing = create(path_, 2, Durability::checkpoint);
  DiskArray writing = DiskArray::open(world(), path_);
  EXPECT_EQ(error_number_of([&] { replacing.close(); }), EBUSY);
  fill(values_, 3);
  writing.write(values_);
  writing.close();
  expect_values(DiskArray::open(world(), path_, false), 3);
}

TEST_F(SharedDiskArrays, AreNotCommittedOverWhatAnotherWriterHasCommittedWhereThereAreNoLocks) {
  DiskArray disk = create(path_, 1);
  const detail::DiskLayout layout(ElementType::float64, shape, tile);
  const std::vector<std::uint32_t> theirs{7, 8, 9};
  on_first([&] {
    detail::CommitLog log(
        std::make_shared<detail::OpenFile>(detail::DiskFolder{path_}.record(), detail::OpenMode{}),
        {layout, "array"});
    log.write(log.read(), std::vector<detail::TileChecksum>{{0, 7}, {1, 8}, {2, 9}});
  });
  const auto write = [&] { disk.write(values_); };
  EXPECT_TRUE(all_throw_error(world(), write, ErrorKind::file, {"somebody else has written"}));
  EXPECT_EQ(error_number_of(write), ESTALE);
  EXPECT_EQ(error_number_of([&] { disk.close(); }), ESTALE);
  on_first([&] {
    const auto found = detail::open_disk_array({path_}, false);
    EXPECT_EQ(found.commit.checksums, theirs);
  });
}

TEST_F(SharedDiskArrays, AreReadAsTheyAreNowBesideAWriter) {
  DiskArray disk = create(path_, 1);
  DiskArray reader = DiskArray::open(world(), path_, false);
  for (int round = 2; round < 6; ++round) {
    fill(values_, round);
    disk.write(values_);
    expect_values(reader, round);
    fill(values_, round + 0.5);
    disk.write(values_);
    reader.verify();
    EXPECT_EQ(reader.generation(), disk.generation());
    reader.read_async(back_).wait();
    EXPECT_TRUE(holds(back_, std::vector<double>(elements, round + 0.5)));
    world().sync();
  }
  disk.write(values_);
  EXPECT_LT(reader.generation(), disk.generation());
  reader.refresh();
  EXPECT_EQ(reader.generation(), disk.generation());
}

TEST_F(SharedDiskArrays, AreNotCalledDamagedWhileTheyAreBeingWritten) {
  DiskArray disk = create(path_, 1);
  const DiskArray reader = DiskArray::open(world(), path_, false);
  const detail::DiskLayout layout(ElementType::float64, shape, tile);
  fill(values_, 2);
  {
    // Half of the second tile is written, as in the middle of a write.
    const Faults faults([&](detail::FileCall call, std::int64_t at, std::size_t bytes) {
      detail::FileFault fault;
      if (call != detail::FileCall::write || at < layout.offset_of(1) || at >= layout.offset_of(2))
        return fault;
      if (at == layout.offset_of(1))
        fault.most_bytes = std::min<std::size_t>(bytes, 64);
      else
        fault.error = EIO;
      return fault;
    });
    EXPECT_EQ(error_number_of([&] { disk.write(values_); }), EIO);
  }
  const auto read = [&] { reader.read(back_); };
  EXPECT_TRUE(all_throw_error(world(), read, ErrorKind::file, {"open for writing", "[2:4, 0:8]"}));
  EXPECT_EQ(error_number_of(read), EAGAIN);
  EXPECT_EQ(error_number_of([&] { disk.close(); }), EIO);
  // Now nobody writes it.
  EXPECT_EQ(error_number_of(read), EBADMSG);
}

TEST_F(SharedDiskArrays, AreOpenedAsOneOfTwoWhileOneTakesThePlaceOfTheOther) {
  const std::string other = folder_ / "b";
  // Of another shape: a record of one does not fit the tiles of the other.
  for (int nth = 0; nth < 20; ++nth) {
    // The second rank opens it after the first one.
    const int victim = nth % 2, call_of_it = nth / 2;
    create(path_, 1).close();
    {
      DiskArray wide = DiskArray::create(world(), other, {6, 80}, ElementType::float64);
      wide.close();
    }
    world().barrier();
    {
      std::atomic<int> calls{0};
      const Faults faults([&](detail::FileCall call, std::int64_t, std::size_t) {
        if (call == detail::FileCall::open && calls++ == call_of_it && world().rank() == victim) {
          fs::rename(path_, folder_ / "gone");
          fs::rename(other, path_);
          fs::remove_all(folder_ / "gone");
        }
        return detail::FileFault{};
      });
      const DiskArray found = DiskArray::open(world(), path_, false);
      EXPECT_TRUE(found.shape() == shape || found.shape() == (Index{6, 80})) << nth;
    }
    on_first([&] {
      fs::remove_all(path_);
      fs::remove_all(other);
    });
  }
}

TEST_F(SharedDiskArrays, AreFoundWhereARunEndedBetweenTwoRenames) {
  create(path_, 1, Durability::checkpoint).close();
  create(folder_ / "b", 2).close();
  const std::string before = path_ + ".atoll-new";
  on_first([&] {
    fs::rename(path_, detail::name_of_old(before));
    fs::rename(folder_ / "b", before);
  });
  expect_values(DiskArray::open(world(), path_, false), 1);
  world().barrier();
  EXPECT_FALSE(fs::exists(path_));  // who reads changes nothing
  expect_values(DiskArray::open(world(), path_), 1);
  world().barrier();
  // Nobody lives who would have given it its name back.
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_EQ(entries_of(folder_.path()), 1U);
  expect_values(DiskArray::open(world(), path_), 1);
}

TEST_F(SharedDiskArrays, OfCheckpointsAreFoundWhereARunEndedBetweenTwoRenames) {
  const std::string run = folder_ / "run";
  const NamedArray arrays[] = {{"a", &values_}};
  for (const int value : {1, 2}) {
    fill(values_, value);
    save_checkpoint(world(), run, arrays, std::to_string(value));
  }
  on_first([&] { fs::rename(run + "/000000000001", run + "/.new-000000000001-old"); });
  const Checkpoint found = Checkpoint::open(world(), run);
  EXPECT_EQ(found.state(), "2");
  found.read("a", back_);
  EXPECT_TRUE(holds(back_, std::vector<double>(elements, 2.0)));
  world().sync();
  EXPECT_EQ(checkpoint_steps(run), (std::vector<std::int64_t>{0, 1}));
  world().barrier();
  fill(values_, 3);
  save_checkpoint(world(), run, arrays, "3");
  EXPECT_EQ(checkpoint_steps(run), (std::vector<std::int64_t>{1, 2}));
  world().barrier();
}

TEST_F(SharedDiskArrays, ThatAKilledRunLeftHalfWrittenAreRemovedByTheNextOpen) {
  create(path_, 1).close();
  const std::string before = path_ + ".atoll-new";
  // What lives stays.
  {
    const DiskArray living = create(path_, 2, Durability::checkpoint);
    expect_values(DiskArray::open(world(), path_), 1);
    world().barrier();
    EXPECT_TRUE(fs::exists(before));
    world().barrier();
  }
  world().barrier();
  expect_values(DiskArray::open(world(), path_, false), 1);
  world().barrier();
  EXPECT_TRUE(fs::exists(before));  // who reads changes nothing
  world().barrier();
  expect_values(DiskArray::open(world(), path_), 1);
  world().barrier();
  EXPECT_FALSE(fs::exists(before));
  // Also one whose record had not been written yet.
  on_first([&] {
    fs::create_directories(before + "/c");
    std::ofstream(before + "/atoll.record").flush();
  });
  expect_values(DiskArray::open(world(), path_), 1);
  world().barrier();
  EXPECT_EQ(entries_of(folder_.path()), 1U);
}

TEST_F(SharedDiskArrays, AreVerifiedTogetherWithWhatZarrReads) {
  const std::string json = path_ + "/zarr.json";
  const DiskArray disk = create(path_, 1);
  disk.verify();
  const Bytes before = contents_of(json);
  const auto verify = [&] { disk.verify(); };
  for (std::int64_t at = 0; at < std::ssize(before); at += 11) {
    flip(json, at);
    EXPECT_EQ(error_number_of(verify), EBADMSG) << at;
    flip(json, at);
  }
  on_first([&] { std::ofstream(json, std::ios::app) << "{}"; });
  EXPECT_EQ(error_number_of(verify), EBADMSG);
  on_first([&] { fs::remove(json); });
  EXPECT_TRUE(all_throw_error(world(), verify, ErrorKind::file, {"zarr.json"}));
  EXPECT_EQ(error_number_of(verify), EBADMSG);
  expect_values(disk, 1);
}

TEST_F(SharedDiskArrays, ThatClaimToHaveMoreTilesThanTheirRecordHasRoomForAreRefused) {
  on_first([&] {
    fs::create_directory(path_);
    const detail::DiskLayout layout(ElementType::uint8, {1 << 29}, {1});
    const auto bytes = detail::encode(detail::DiskDescription{layout, "array"});
    std::ofstream(path_ + "/atoll.record", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  });
  const auto open = [&] { DiskArray::open(world(), path_, false); };
  EXPECT_TRUE(all_throw_error(world(), open, ErrorKind::file, {"4096 bytes of"}));
  EXPECT_EQ(error_number_of(open), EBADMSG);
  struct rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1 << 21);  // KiB
}

/// Without the rights of root, where this is root.
class AsNobody {
 public:
  AsNobody() : was_(geteuid()) { changed_ = was_ == 0 && seteuid(65534) == 0; }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() {
    if (changed_) {
      EXPECT_EQ(seteuid(was_), 0);
    }
  }

 private:
  uid_t was_;
  bool changed_;
};

TEST_F(SharedDiskArrays, AreMadeInFoldersThatMayBeWrittenButNotRead) {
  const std::string parent = folder_ / "parent", run = parent + "/run", path = parent + "/array";
  on_first([&] {
    fs::create_directory(parent);
    fs::permissions(parent, static_cast<fs::perms>(0333));
    fs::permissions(folder_.path(), static_cast<fs::perms>(0755));
  });
  const NamedArray arrays[] = {{"a", &values_}};
  fill(values_, 4);
  {
    const AsNobody nobody;
    save_checkpoint(world(), run, arrays, "state");
    save_checkpoint(world(), run, arrays, "state");
    create(path, 4, Durability::checkpoint).close();
    create(path, 5, Durability::checkpoint).close();
    EXPECT_EQ(Checkpoint::open(world(), run).step(), 1);
  }
  expect_values(DiskArray::open(world(), path, false), 5);
  on_first([&] { fs::permissions(parent, static_cast<fs::perms>(0755)); });
}

}  // namespace
}  // namespace lagoon::atoll::test
