// What a failed write leaves behind: whoever goes on after it cannot put a damaged array in place
// of a good one, nor close the array as if all were well. Collective.
#include <cerrno>

#include "algebra_support.hpp"
#include "atoll/disk_array.hpp"
#include "disk/disk_layout.hpp"
#include "file_support.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr std::int64_t rows = 6, columns = 8;

/// While it lives nothing can be written to the second tile.
class SecondTileIsFull {
 public:
  SecondTileIsFull()
      : faults_([](detail::FileCall call, std::int64_t at, std::size_t) {
          const detail::DiskLayout layout(ElementType::float64, {rows, columns}, {2, columns});
          const bool there = at >= layout.offset_of(1) && at < layout.offset_of(2);
          return detail::FileFault{.error = call == detail::FileCall::write && there ? ENOSPC : 0};
        }) {}

 private:
  Faults faults_;
};

class FailedWrites : public testing::TestWithParam<Durability> {
 protected:
  DiskArray create() {
    const bool replaces = GetParam() == Durability::checkpoint;
    const DiskArrayOptions options{.tile = {2, columns}, .durability = GetParam()};
    if (replaces) {
      fill(values_, 1);
      DiskArray before =
          DiskArray::create(world(), path_, {rows, columns}, ElementType::float64, options);
      before.write(values_);
      before.close();
    }
    fill(values_, 2);
    return DiskArray::create(world(), path_, {rows, columns}, ElementType::float64, options);
  }
  void expect_refused(const std::function<void()>& call) {
    EXPECT_TRUE(all_throw_error(world(), call, ErrorKind::file, {"[2:4, 0:8]", "not written"}));
    EXPECT_EQ(error_number_of(call), ENOSPC);
  }
  /// Closing tells, and the array before is what it was.
  void expect_old_array_after_close(DiskArray& disk) {
    EXPECT_EQ(error_number_of([&] { disk.close(); }), ENOSPC);
    if (GetParam() != Durability::checkpoint) return;
    Array<double> back(world(), {rows, columns});
    DiskArray::open(world(), path_, false).read(back);
    EXPECT_TRUE(holds(back, std::vector<double>(rows * columns, 1.0)));
    world().sync();
  }

  const Patch lower{{2, 0}, {4, columns}, {}};  // the second of three tiles
  const Patch part_of_lower{{3, 0}, {4, columns}, {}};
  const Folder folder_{in_memory};
  const std::string path_ = folder_ / "a";
  Array<double> values_{world(), {rows, columns}};
};

TEST_P(FailedWrites, ThatWereToldAndCaughtDoNotReplaceTheOldArray) {
  DiskArray disk = create();
  {
    const SecondTileIsFull full;
    EXPECT_EQ(error_number_of([&] { disk.write(values_); }), ENOSPC);
  }
  expect_refused([&] { disk.sync(); });
  expect_refused([&] { disk.verify(); });
  expect_old_array_after_close(disk);
}

TEST_P(FailedWrites, OfRequestsThatWereWaitedForDoNotReplaceTheOldArray) {
  DiskArray disk = create();
  {
    const SecondTileIsFull full;
    DiskRequest request = disk.write_async(values_);
    EXPECT_EQ(error_number_of([&] { request.wait(); }), ENOSPC);
  }
  expect_old_array_after_close(disk);
}

TEST_P(FailedWrites, ThatVerifyHasEndedDoNotReplaceTheOldArray) {
  DiskArray disk = create();
  {
    const SecondTileIsFull full;
    DiskRequest request = disk.write_async(values_);
    expect_refused([&] { disk.verify(); });
  }
  expect_old_array_after_close(disk);
}

TEST_P(FailedWrites, OfDroppedRequestsThatOthersHaveEndedAreTold) {
  DiskArray disk = create();
  {
    const SecondTileIsFull full;
    (void)DiskRequest(disk.write_async(values_));
    // These end it, one by reading the tile; neither is to blame.
    disk.write(values_, {{0, 0}, {2, columns}, {}}, {{0, 0}, {2, columns}, {}});
  }
  Array<double> back(world(), {rows, columns});
  (void)error_number_of([&] { disk.read(back); });
  expect_refused([&] { disk.sync(); });
  expect_old_array_after_close(disk);
}

TEST_P(FailedWrites, AreForgottenWhenTheirTilesAreWrittenAgainAsAWhole) {
  DiskArray disk = create();
  {
    const SecondTileIsFull full;
    EXPECT_EQ(error_number_of([&] { disk.write(values_, lower, lower); }), ENOSPC);
  }
  // The rest of the tile lacks what was to be written.
  (void)error_number_of([&] { disk.write(values_, part_of_lower, part_of_lower); });
  expect_refused([&] { disk.sync(); });
  disk.write(values_);
  disk.sync();
  disk.verify();
  disk.close();
  Array<double> back(world(), {rows, columns});
  DiskArray::open(world(), path_, false).read(back);
  EXPECT_TRUE(holds(back, std::vector<double>(rows * columns, 2.0)));
  world().sync();
}

INSTANTIATE_TEST_SUITE_P(Durabilities, FailedWrites,
                         testing::Values(Durability::checkpoint, Durability::in_place,
                                         Durability::scratch),
                         [](const auto& kind) {
                           return kind.param == Durability::checkpoint ? "checkpoint"
                                  : kind.param == Durability::in_place ? "in_place"
                                                                       : "scratch";
                         });

}  // namespace
}  // namespace lagoon::atoll::test
