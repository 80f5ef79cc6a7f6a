// A full disk as programs find it by the names of EAF, SF and DRA: a code or an error on every
// process, and what was written before is whole.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "atoll/error.hpp"
#include "compat/dra/session.hpp"
#include "dra_support.hpp"
#include "files_support.hpp"
#include "mpi/native.hpp"
#include "small_disk.hpp"

namespace {

using lagoon::atoll::Error;
using lagoon::atoll::ErrorKind;
using lagoon::atoll::test::SmallDisk;

class FullDisks : public testing::Test {
 protected:
  void SetUp() override {
    if (!small.is_there()) GTEST_SKIP() << "only root can mount file systems, on one host";
  }
  dra_test::Folder folder;
  const std::string path = folder / "small";
  SmallDisk small{lagoon::atoll::mpi::of_native(GA_MPI_Comm()), path, "2m"};
};

constexpr std::size_t piece = std::size_t{64} << 10, too_many = 40;  // more than two MiB

TEST_F(FullDisks, AreACodeOfExclusiveFilesThatKeepWhatWasWritten) {
  const files_test::Bytes data = files_test::random_bytes(piece, 3);
  const auto at = [](std::size_t i) { return static_cast<double>(i * piece); };
  int fd = -1, request = -1;
  const std::string name = path + "/" + std::to_string(files_test::rank());
  ASSERT_EQ(EAF_Open(name.c_str(), EAF_RW, &fd), 0);
  std::size_t written = 0;
  int code = 0;
  while (written < too_many) {
    code = EAF_Write(fd, at(written), data.data(), piece);
    if (code != 0) break;
    ++written;
  }
  EXPECT_EQ(code, -10007);
  EXPECT_EQ(files_test::words(code), "cannot write: No space left on device");
  files_test::synchronize();  // all have been told, and nobody makes room
  EXPECT_EQ(EAF_Awrite(fd, at(written), data.data(), piece, &request), 0);
  EXPECT_EQ(EAF_Wait(fd, request), -10008);
  EXPECT_EQ(files_test::words(-10008), "cannot write asynchronously: No space left on device");
  for (std::size_t i = 0; i < written; ++i) {
    files_test::Bytes found(piece);
    EXPECT_EQ(EAF_Read(fd, at(i), found.data(), piece), 0);
    EXPECT_EQ(found, data) << i;
  }
  files_test::synchronize();
  EXPECT_EQ(EAF_Truncate(fd, 0), 0);
  files_test::synchronize();
  EXPECT_EQ(EAF_Write(fd, 0, data.data(), piece), 0) << "there is room again";
  EXPECT_EQ(EAF_Close(fd), 0);
}

TEST_F(FullDisks, AreACodeOfSharedFilesOnEveryProcessThatWrites) {
  std::string name = path + "/shared";
  int handle = -1, request = -1;
  ASSERT_EQ(SF_Create(name.data(), 1e9, 1e6, 1e5, &handle), 0);
  files_test::Bytes kept = files_test::random_bytes(piece, 5), found(piece);
  if (files_test::rank() == 0) {
    EXPECT_EQ(SF_Write(handle, 0, piece, kept.data(), &request), 0);
    EXPECT_EQ(SF_Wait(&request), 0);
  }
  files_test::synchronize();
  files_test::Bytes large(too_many * piece, 'x');
  const double mine =
      static_cast<double>(piece) + files_test::rank() * static_cast<double>(large.size());
  EXPECT_EQ(SF_Write(handle, mine, static_cast<double>(large.size()), large.data(), &request), 0);
  EXPECT_EQ(SF_Wait(&request), -10007);
  EXPECT_EQ(files_test::words(-10007), "cannot write: No space left on device");
  files_test::synchronize();
  EXPECT_EQ(SF_Read(handle, 0, piece, found.data(), &request), 0);
  EXPECT_EQ(SF_Wait(&request), 0);
  EXPECT_EQ(found, kept);
  EXPECT_EQ(SF_Destroy(handle), 0);
  EXPECT_EQ(std::filesystem::exists(name + ".0"), false);
}

/// The system's number of the error that the call throws on this process.
template <class Call>
int error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::file) << error.what();
    return error.error_number();
  }
  return 0;
}

// Programs see the error end the job, with this message.
TEST_F(FullDisks, EndWritesOfDiskArraysOnEveryProcessAndLeaveOtherArraysWhole) {
  ASSERT_EQ(DRA_Init(2, -1, -1, -1), 0);
  auto& session = lagoon::atoll::dra::Session::get();
  const dra_test::Extents few{64, 64}, many{512, 512};  // 32 KiB, two MiB
  const auto expected = dra_test::values<double>(few, 1);
  dra_test::Global<double> small_array(MT_C_DBL, few), large_array(MT_C_DBL, many);
  small_array.fill(expected);
  large_array.fill(dra_test::values<double>(many, 2));
  const int kept = dra_test::create(MT_C_DBL, few, path + "/kept");
  dra_test::write_all(small_array.handle(), kept);
  EXPECT_EQ(DRA_Close(kept), 0);
  const int full = dra_test::create(MT_C_DBL, many, path + "/full");
  int request = DRA_REQ_INVALID;
  EXPECT_EQ(error_of([&] {
              EXPECT_EQ(NDRA_Write(large_array.handle(), full, &request), 0);
              session.wait(request);
            }),
            ENOSPC);
  EXPECT_EQ(large_array.read(), dra_test::values<double>(many, 2)) << "in memory";
  const int again = dra_test::open(path + "/kept", DRA_R);
  small_array.fill(dra_test::values<double>(few, 3));
  dra_test::read_all(small_array.handle(), again);
  EXPECT_EQ(small_array.read(), expected);
  EXPECT_EQ(DRA_Close(again), 0);
  // What goes makes room, though not all of it could be written.
  session.remove(full);
  EXPECT_FALSE(std::filesystem::exists(path + "/full"));
  EXPECT_EQ(DRA_Terminate(), 0);
}

}  // namespace
