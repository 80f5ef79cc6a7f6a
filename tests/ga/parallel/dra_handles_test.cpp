// Disk resident arrays by handle and name: inquiries, files that are there already, and what is
// said of misuse.
#include <chrono>
#include <fstream>
#include <thread>

#include "atoll/error.hpp"
#include "compat/dra/session.hpp"
#include "compat/ga/runtime.hpp"
#include "dra_support.hpp"
#include "ga/macdecls.h"

extern "C" {
Integer dra_init_(const Integer* arrays, const DoublePrecision* size, const DoublePrecision* disk,
                  const DoublePrecision* memory);
Integer dra_terminate_(void);
Integer dra_write_(const Integer* g_a, const Integer* d_a, Integer* request);
Integer dra_wait_(const Integer* request);
void dra_print_internals_(const Integer* d_a);
}

namespace {

using namespace dra_test;
using lagoon::atoll::Error;

/// What `call` throws.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST_F(DiskResidentArrays, HaveHandlesAndNamesAsGaGivesThem) {
  const std::string longer(100, 'x');
  const std::vector<std::string> names{"T2 i/a 50%25", "", ".", longer};
  std::vector<int> handles;
  for (std::size_t i = 0; i < names.size(); ++i)
    handles.push_back(create(MT_C_INT, {3}, folder / std::to_string(i), names[i]));
  EXPECT_EQ(handles, (std::vector<int>{-5000, -4999, -4998, -4997}));
  for (const bool again : {false, true})
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(Inquiry(handles[i]).name, names[i].substr(0, 72));
      EXPECT_EQ(DRA_Close(handles[i]), 0);
      if (!again) handles[i] = open(folder / std::to_string(i), DRA_RW);
    }
}

TEST_F(DiskResidentArrays, TakeThePlaceOfThoseWithTheirFileName) {
  const std::string path = folder / "twice";
  EXPECT_EQ(DRA_Close(create(MT_C_INT, {30}, path)), 0);
  const int disk = create(MT_C_DBL, {4, 5}, path);
  EXPECT_EQ(Inquiry(disk).ndim, 2);
  EXPECT_EQ(DRA_Delete(disk), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
  int handle = 17;
  EXPECT_EQ(DRA_Open(path.c_str(), DRA_R, &handle), -1);
  EXPECT_EQ(handle, 17);
}

// As programs leave one that have tried by fopen whether they may write there.
TEST_F(DiskResidentArrays, TakeThePlaceOfPlainFiles) {
  const std::string path = folder / "probed";
  if (GA_Nodeid() == 0) std::ofstream(path) << "is this writable?";
  GA_Sync();
  const int disk = create(MT_C_INT, {30}, path);
  Global<int> array(MT_C_INT, {30});
  array.fill(values<int>({30}, 1));
  write_all(array.handle(), disk);
  array.fill(std::vector<int>(30, 0));
  read_all(array.handle(), disk);
  EXPECT_EQ(array.read(), values<int>({30}, 1));
  EXPECT_EQ(DRA_Delete(disk), 0);
}

TEST_F(DiskResidentArrays, WaitForRanksThatStillTryTheirFileName) {
  const std::string path = folder / "tried";
  if (GA_Nodeid() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(std::ofstream(path).good());  // as programs do on every rank, at any time before
  const int disk = create(MT_C_DBL, {5, 4}, path);
  EXPECT_EQ(Inquiry(disk).path, path);
  EXPECT_EQ(DRA_Delete(disk), 0);
}

TEST_F(DiskResidentArrays, HaveTheNamesAndHintsOfTheFirstProcess) {
  const std::string mine = std::to_string(GA_Nodeid());
  const int disk =
      create(MT_C_INT, {40, 30}, folder / ("of" + mine), "by " + mine, {10 + GA_Nodeid(), 30});
  EXPECT_EQ(Inquiry(disk).path, folder / "of0");
  EXPECT_STREQ(Inquiry(disk).name, "by 0");
  EXPECT_EQ(DRA_Close(disk), 0);
  EXPECT_EQ(DRA_Delete(open(folder / ("of" + mine), DRA_R)), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "of0"));
}

TEST_F(DiskResidentArrays, TakeThePlaceOfDamagedOnesButOfNothingElse) {
  const std::string path = folder / "damaged", other = folder / "other";
  EXPECT_EQ(DRA_Close(create(MT_C_INT, {30}, path)), 0);
  if (GA_Nodeid() == 0) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file()) std::ofstream(entry.path()) << "nothing of ours";
    std::filesystem::create_directory(other);
    std::ofstream(other + "/file") << "somebody's";
  }
  GA_Sync();
  EXPECT_EQ(DRA_Delete(create(MT_C_DBL, {4, 5}, path)), 0);
  auto& session = lagoon::atoll::dra::Session::get();
  EXPECT_NE(error_of([&] {
              (void)session.create({MT_C_INT, {3}, "name", other, DRA_RW, {-1}});
            }).find("File exists"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(other + "/file"));
}

TEST_F(DiskResidentArrays, MayHaveAFileOnEachNode) {
  const Extents dims{40, 30};
  const std::string path = folder / "part-{node}";
  Global<double> array(MT_C_DBL, dims), back(MT_C_DBL, dims);
  array.fill(values<double>(dims, 1));
  for (int round = 0; round < 2; ++round) {  // the second one in place of the first one
    const int disk = create(MT_C_DBL, dims, path, "parts", {10, 10});
    write_all(array.handle(), disk);
    EXPECT_EQ(DRA_Close(disk), 0);
  }
  const int disk = open(path, DRA_R);
  read_all(back.handle(), disk);
  EXPECT_EQ(back.read(), values<double>(dims, 1));
  const std::string mine = folder / ("part-" + std::to_string(GA_Cluster_nodeid()));
  EXPECT_TRUE(std::filesystem::exists(mine));
  GA_Sync();
  EXPECT_EQ(DRA_Delete(disk), 0);
  EXPECT_FALSE(std::filesystem::exists(mine));
}

TEST_F(DiskResidentArrays, TellWhatTheyAreAndWhatTheyDo) {
  testing::internal::CaptureStdout();
  DRA_Set_debug(1);
  DRA_Set_default_config(4, 4);
  const int disk = create(MT_C_DBL, {4, 5}, folder / "told");
  DRA_Set_debug(0);
  DRA_Print_internals(disk);
  const std::string told = testing::internal::GetCapturedStdout();
  EXPECT_EQ(told.find("/told' as -5000\n") != std::string::npos, GA_Nodeid() == 0) << told;
  EXPECT_EQ(told.find("dimensions: 4 x 5\n") != std::string::npos, GA_Nodeid() == 0) << told;
}

// The entry points end the job with these messages.
TEST_F(DiskResidentArrays, SayWhatWasAskedWrongly) {
  using lagoon::atoll::dra::Direction;
  auto& session = lagoon::atoll::dra::Session::get();
  Global<double> array(MT_C_DBL, {4, 6});
  Global<int> integers(MT_C_INT, {4, 6});
  const std::string path = folder / "wrong";
  int disk = create(MT_C_DBL, {4, 6}, path);
  const auto move = [&](Direction direction, int g_a) {
    return error_of([&] {
      session.wait(session.begin(direction, lagoon::atoll::ga::array_of(g_a), session.at(disk)));
    });
  };
  const auto says = [](const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  says(move(Direction::write, integers.handle()), "holds int32");
  says(error_of([&] { (void)session.open(path, DRA_R); }), "is open as disk array -5000");
  says(error_of([&] { (void)session.open(path, 7); }), "mode is 7");
  says(error_of([&] { (void)session.open("", DRA_R); }), "the file name has 0 characters");
  says(error_of([&] { (void)session.at(-4000); }), "handle -4000 is of no disk array");
  says(error_of([&] { (void)session.at(5); }), "handle 5 is of no disk array");
  says(error_of([&] { session.wait(-1); }), "request is -1");
  EXPECT_EQ(DRA_Close(disk), 0);
  disk = open(path, DRA_R);
  says(move(Direction::write, array.handle()), "open for reading only");
  EXPECT_EQ(DRA_Close(disk), 0);
  disk = open(path, DRA_W);
  says(move(Direction::read, array.handle()), "open for writing only");
  EXPECT_EQ(DRA_Close(disk), 0);
  disk = create(MT_C_DBL, {6, 4}, path);
  says(move(Direction::write, array.handle()), "different shapes");
  says(error_of([&] {
         (void)session.create({MT_C_LDBL, {3}, "long doubles", folder / "l", DRA_RW, {-1}});
       }),
       "disk array 'long doubles' is of type");
}

TEST(DiskResidentArraysInFortran, BeginAreWrittenAndEnd) {
  const Extents dims{4, 5};
  const Folder folder;
  const Integer arrays = 10;
  const DoublePrecision unknown = -1;
  EXPECT_EQ(dra_init_(&arrays, &unknown, &unknown, &unknown), 0);
  {
    Global<double> array(MT_C_DBL, dims), back(MT_C_DBL, dims);
    array.fill(values<double>(dims, 3));
    const Integer g_a = array.handle(), d_a = create(MT_C_DBL, dims, folder / "of Fortran");
    Integer request = -1;
    EXPECT_EQ(dra_write_(&g_a, &d_a, &request), 0);
    EXPECT_EQ(dra_wait_(&request), 0);
    read_all(back.handle(), static_cast<int>(d_a));
    EXPECT_EQ(back.read(), values<double>(dims, 3));
    testing::internal::CaptureStdout();
    dra_print_internals_(&d_a);
    const std::string told = testing::internal::GetCapturedStdout();
    EXPECT_EQ(told.find("dimensions: 5 x 4\n") != std::string::npos, GA_Nodeid() == 0) << told;
    EXPECT_EQ(DRA_Delete(static_cast<int>(d_a)), 0);
  }
  EXPECT_EQ(dra_terminate_(), 0);
  EXPECT_NE(error_of([] { (void)lagoon::atoll::dra::Session::get(); }), "nothing thrown");
}

TEST(WithoutDiskResidentArrays, SaysThatTheyAreNotInitialized) {
  EXPECT_NE(error_of([] { (void)lagoon::atoll::dra::Session::get(); }).find("call DRA_Init first"),
            std::string::npos);
}

}  // namespace
