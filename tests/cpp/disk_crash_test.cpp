// What a power failure may leave: writes are recorded, and replayed with any of those that were not
// yet on the device left out or torn; also a disk that is full, and links that others have planted.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>

#include "atoll/algebra.hpp"
#include "atoll/checkpoint.hpp"
#include "atoll/disk_array.hpp"
#include "disk/disk_folder.hpp"
#include "file_support.hpp"
#include "small_disk.hpp"

namespace lagoon::atoll::test {
namespace {

namespace fs = std::filesystem;

struct Recorded {
  detail::FileCall call;
  std::string path;
  std::int64_t offset;
  Bytes data;
};

/// Keeps what is done to files while it lives.
class Recorder {
 public:
  Recorder() {
    detail::set_file_event_hook([this](const detail::FileEvent& event) {
      const std::scoped_lock lock(mutex_);
      log_.push_back(
          {event.call, event.path, event.offset, Bytes(event.data.begin(), event.data.end())});
    });
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { detail::set_file_event_hook({}); }
  const std::vector<Recorded>& log() const { return log_; }

 private:
  std::mutex mutex_;
  std::vector<Recorded> log_;
};

Group alone() { return world().split(world().rank()); }

enum class Tearing : bool { no, yes };

/// Applies a write as a device may that loses power: all of it, nothing, or, where it is torn, some
/// of its blocks.
void apply(Random& random, Bytes& file, const Recorded& write, bool on_device, Tearing tearing) {
  const auto end = static_cast<std::size_t>(write.offset) + write.data.size();
  if (file.size() < end) file.resize(end);
  const std::int64_t block = random.chance(0.5) ? 512 : 4096;
  const std::int64_t kind = on_device ? 0 : random.between(0, tearing == Tearing::yes ? 2 : 1);
  if (kind == 1) return;
  for (std::size_t i = 0; i < write.data.size();) {
    const std::int64_t at = write.offset + static_cast<std::int64_t>(i);
    const std::size_t length =
        std::min(write.data.size() - i, static_cast<std::size_t>(block - at % block));
    if (kind == 0 || random.chance(0.5))
      std::copy_n(write.data.begin() + static_cast<std::ptrdiff_t>(i), length, file.begin() + at);
    i += length;
  }
}

void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

/// A file after the first `calls` of the log, if the power fails then.
Bytes after_failure(Random& random, const std::vector<Recorded>& log, std::size_t calls,
                    const std::string& path, Bytes file, Tearing tearing) {
  std::size_t synced = 0;  // of the log
  for (std::size_t i = 0; i < calls; ++i)
    if (log[i].call == detail::FileCall::sync && log[i].path == path) synced = i;
  for (std::size_t i = 0; i < calls; ++i)
    if (log[i].call == detail::FileCall::write && log[i].path == path)
      apply(random, file, log[i], i < synced, tearing);
  return file;
}

class PowerFailures : public testing::TestWithParam<Tearing> {};

TEST_P(PowerFailures, InPlaceLeaveTilesOldOrNewOrNamedAndLoseNoneThatIsWhole) {
  const Tearing tearing = GetParam();
  const Folder folder;
  const Group group = alone();
  const std::string path = folder.mine("array") + "/a", copy = folder.mine("copy") + "/a";
  // Some tiles of some pages; a page each, which one call writes, where none is to be torn.
  const std::int64_t tile_rows = tearing == Tearing::yes ? 25 : 8,
                     columns = tearing == Tearing::yes ? 40 : 128, first_row = tile_rows / 2;
  const Index shape{60, columns};
  Array<std::int32_t> values(group, shape), back(group, shape);
  DiskArray disk =
      DiskArray::create(group, path, shape, ElementType::int32, {.tile = {tile_rows, columns}});
  fill(values, 1);
  disk.write(values);
  const std::string data = path + "/c/0/0", record = path + "/atoll.record",
                    intents = path + "/atoll.intents";
  const Bytes data_before = contents_of(data), record_before = contents_of(record),
              intents_before = contents_of(intents);
  fill(values, 2);
  const Recorder recorder;
  disk.write(values, {{first_row, 0}, shape}, {{first_row, 0}, shape});
  disk.close();
  const std::vector<Recorded> log = recorder.log();
  ASSERT_GE(log.size(), 6U);  // three tiles, the sync, the slot, the sync
  fs::copy(path, copy, fs::copy_options::recursive);
  Random random(static_cast<std::uint64_t>(7 + world().rank()));
  int damaged = 0, states = 0;
  for (std::size_t calls = 0; calls <= log.size(); ++calls)
    for (int round = 0; round < (tearing == Tearing::yes ? 40 : 15); ++round, ++states) {
      write_file(copy + "/c/0/0", after_failure(random, log, calls, data, data_before, tearing));
      write_file(copy + "/atoll.record",
                 after_failure(random, log, calls, record, record_before, tearing));
      write_file(copy + "/atoll.intents",
                 after_failure(random, log, calls, intents, intents_before, tearing));
      const DiskArray found = DiskArray::open(group, copy, false);
      bool all_new = true;
      for (std::int64_t row = 0; row < 60; row += tile_rows) {
        const Patch patch{{row, 0}, {std::min<std::int64_t>(row + tile_rows, 60), columns}, {}};
        const int told = error_number_of([&] { found.read(back, patch, patch); });
        if (told != 0) {
          ASSERT_EQ(told, EBADMSG);
          ++damaged;
          all_new = false;
          continue;
        }
        std::vector<std::int32_t> elements(static_cast<std::size_t>(patch.elements()));
        back.get(patch, elements.data());
        const auto old = static_cast<std::size_t>(row == 0 ? first_row * columns : 0);
        const bool is_new = elements.back() == 2;
        all_new = all_new && is_new;
        for (std::size_t i = 0; i < elements.size(); ++i)
          ASSERT_EQ(elements[i], is_new && i >= old ? 2 : 1) << row << " " << i;
      }
      EXPECT_TRUE(all_new || calls < log.size());
    }
  if (tearing == Tearing::yes)
    EXPECT_GT(damaged, states / 10);
  else  // in memory nothing is ordered, nor is there power to fail
    EXPECT_TRUE(damaged == 0 || detail::OpenFile(data, {}).in_memory()) << damaged;
  world().barrier();
}

INSTANTIATE_TEST_SUITE_P(Tearing, PowerFailures, testing::Values(Tearing::no, Tearing::yes),
                         [](const auto& tearing) {
                           return tearing.param == Tearing::yes ? "torn" : "whole";
                         });

/// All that was written to files below `folder` is on the device, and so are their names.
void expect_on_device(const std::vector<Recorded>& log, std::size_t calls,
                      const std::string& folder) {
  for (std::size_t i = 0; i < calls; ++i) {
    if (log[i].call != detail::FileCall::write || !log[i].path.starts_with(folder + "/")) continue;
    const auto synced = [&](const std::string& path) {
      for (std::size_t j = i + 1; j < calls; ++j)
        if (log[j].call == detail::FileCall::sync && log[j].path == path) return true;
      return false;
    };
    EXPECT_TRUE(synced(log[i].path)) << log[i].path << " at " << log[i].offset;
  }
}

TEST(PowerFailuresOfCheckpoints, FindThemOnTheDeviceBeforeTheyGetTheirNames) {
  const Folder folder;
  const Group group = alone();
  const std::string path = folder.mine("run") + "/c";
  Array<double> values(group, {300, 40});
  const NamedArray arrays[] = {{"a", &values}, {"b", &values}};
  const Recorder recorder;
  save_checkpoint(group, path, arrays, "state", {.keep = 1});
  save_checkpoint(group, path, arrays, "state", {.keep = 1});
  const std::vector<Recorded>& log = recorder.log();
  int renames = 0;
  std::string last_file;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i].call == detail::FileCall::write) last_file = log[i].path;
    if (log[i].call != detail::FileCall::rename) continue;
    ++renames;
    if (log[i].path.find(".gone-") != std::string::npos) continue;
    const bool is_step =
        log[i].path.ends_with("000000000000") || log[i].path.ends_with("000000000001");
    EXPECT_TRUE(!is_step || last_file.ends_with("/manifest")) << last_file;
    expect_on_device(log, i, is_step ? path : log[i].path + ".atoll-new");
    // The name itself, too.
    ASSERT_LT(i + 1, log.size());
    EXPECT_EQ(log[i + 1].call, detail::FileCall::sync);
    EXPECT_EQ(log[i + 1].path, fs::path(log[i].path).parent_path().string());
  }
  EXPECT_EQ(renames, 2 * 3 + 1);
  world().barrier();
}

TEST(FullDisks, AreToldByAllRanksAndNothingIsLost) {
  const Folder folder;
  const std::string path = folder / "small";
  const SmallDisk small(world().mpi_communicator(), path, "2m");
  if (!small.is_there()) GTEST_SKIP() << "only root can mount file systems, on one host";
  const Index shape{512, 512};  // two MiB
  Array<double> values(world(), shape);
  const auto create = [&](bool sparse) {
    return DiskArray::create(world(), path + "/a", shape, ElementType::float64,
                             {.tile = {64, 512}, .sparse = sparse});
  };
  EXPECT_TRUE(throws_error([&] { create(false); }, ErrorKind::file,
                           {"No space left", "cannot reserve 2097152 bytes", "are free"}));
  EXPECT_EQ(entries_of(path), 0U);
  world().barrier();
  {
    fill(values, 1);
    DiskArray disk = create(true);
    EXPECT_EQ(error_number_of([&] { disk.write(values); }), ENOSPC);
    const Patch first{{0, 0}, {64, 512}, {}};
    const int told = error_number_of([&] { disk.read(values, first, first); });
    EXPECT_TRUE(told == 0 || told == EBADMSG);
    EXPECT_EQ(error_number_of([&] { disk.close(); }), ENOSPC);
  }
  if (world().rank() == 0) {
    DiskArray::remove(path + "/a");
    // io_uring gives files back a moment after their last transfer.
    for (int i = 0; fs::space(path).free < (std::uintmax_t{3} << 19) && i < 500; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  world().barrier();
  // The checkpoint before stays.
  Array<double> half(world(), {300, 300});
  fill(half, 1);
  const NamedArray one[] = {{"half", &half}}, more[] = {{"half", &half}, {"values", &values}};
  save_checkpoint(world(), path + "/run", one, "first");
  EXPECT_EQ(error_number_of([&] { save_checkpoint(world(), path + "/run", more); }), ENOSPC);
  const Checkpoint found = Checkpoint::open(world(), path + "/run");
  EXPECT_EQ(found.state(), "first");
  found.read("half", half);
  EXPECT_EQ(entries_of(path + "/run"), 1U);
  world().barrier();
}

TEST(PlantedLinks, AreNotFollowed) {
  const Folder folder;
  const std::string victim = folder / "victim";
  Array<double> values(world(), {6});
  const NamedArray arrays[] = {{"a", &values}};
  save_checkpoint(world(), folder / "c", arrays);
  DiskArray::create(world(), folder / "a", {6}, ElementType::float64).close();
  if (world().rank() == 0) {
    fs::create_directory(victim);
    write_file(victim + "/file", Bytes(10));
    fs::create_directory_symlink(victim, folder / "c/.new-000000000001");
    fs::create_directory_symlink(victim, folder / "link");
    fs::rename(folder / "a/c", folder / "elsewhere");
    fs::create_directory_symlink(folder / "elsewhere", folder / "a/c");
    fs::create_directory_symlink(victim, folder / "b.atoll-new");
  }
  world().barrier();
  save_checkpoint(world(), folder / "c", arrays);
  const DiskArrayOptions checkpoint{.durability = Durability::checkpoint};
  DiskArray::create(world(), folder / "b", {6}, ElementType::float64, checkpoint).close();
  EXPECT_EQ(error_number_of(
                [&] { DiskArray::create(world(), folder / "link", {6}, ElementType::float64); }),
            EEXIST);
  EXPECT_EQ(error_number_of([&] {
              DiskArray::create(world(), folder / "link", {6}, ElementType::float64, checkpoint);
            }),
            EEXIST);
  EXPECT_EQ(error_number_of([&] { DiskArray::open(world(), folder / "a"); }), ELOOP);
  EXPECT_EQ(entries_of(victim), 1U);
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
