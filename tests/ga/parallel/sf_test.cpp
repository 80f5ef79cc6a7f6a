// SF: one file of all processes, by the C names: what others wrote, limits, wrong uses.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <set>

#include "compat/ga/runtime.hpp"
#include "disk/file_fault.hpp"
#include "files_programs.hpp"
#include "files_support.hpp"

using namespace files_test;
namespace detail = lagoon::atoll::detail;
namespace ga = lagoon::atoll::ga;

namespace {

class SharedFiles : public Files {
 protected:
  int create(double hard_limit = -1, const std::string& name = "shared") {
    std::string path = common + "/" + name;
    int handle = 0;
    EXPECT_EQ(SF_Create(path.data(), hard_limit, -1, -1, &handle), 0) << words(-10004);
    return handle;
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(common + "/" + name);
  }
};

int write(int handle, double offset, const void* data, double bytes) {
  int id = -7;
  const int code =
      SF_Write(handle, offset, bytes, static_cast<char*>(const_cast<void*>(data)), &id);
  const int waited = SF_Wait(&id);
  EXPECT_EQ(id, -1);
  if (code != 0) {
    EXPECT_EQ(waited, code);
  }
  return waited;
}

int read(int handle, double offset, void* data, double bytes) {
  int id = -7;
  const int code = SF_Read(handle, offset, bytes, static_cast<char*>(data), &id);
  const int waited = SF_Wait(&id);
  if (code != 0) {
    EXPECT_EQ(waited, code);
  }
  return waited;
}

TEST_F(SharedFiles, ShowEveryRankWhatEachHasWritten) {
  const int handle = create();
  constexpr std::size_t block = 1000;
  // Rank r writes blocks r, r + ranks, ... in an order of its own.
  const int blocks = 40 * ranks();
  std::vector<int> order;
  for (int b = rank(); b < blocks; b += ranks()) order.push_back(b);
  std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(rank())));
  std::vector<Bytes> data;
  for (const int b : order) data.push_back(random_bytes(block, static_cast<unsigned>(b)));
  std::vector<int> ids(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    EXPECT_EQ(
        SF_Write(handle, static_cast<double>(block) * order[i], block, data[i].data(), &ids[i]), 0);
  EXPECT_EQ(std::set<int>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(SF_Waitall(ids.data(), static_cast<int>(ids.size())), 0);
  EXPECT_EQ(ids, std::vector<int>(ids.size(), -1));
  synchronize();
  Bytes model;
  for (int b = 0; b < blocks; ++b) {
    const Bytes part = random_bytes(block, static_cast<unsigned>(b));
    model.insert(model.end(), part.begin(), part.end());
  }
  std::mt19937 numbers(static_cast<unsigned>(rank() + 99));
  for (int i = 0; i < 300; ++i) {
    const std::size_t offset = numbers() % model.size();
    const std::size_t size = numbers() % std::min<std::size_t>(5000, model.size() - offset + 1);
    Bytes found(size);
    ASSERT_EQ(read(handle, static_cast<double>(offset), found.data(), static_cast<double>(size)),
              0);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), model.begin() + static_cast<long>(offset)))
        << offset << " " << size;
  }
  EXPECT_EQ(SF_Destroy(handle), 0);
}

TEST_F(SharedFiles, HaveTheFirstProcesssNameWhereNamesDiffer) {
  const int handle = create(-1, "of" + std::to_string(rank()));
  const double own = 1 + rank();
  EXPECT_EQ(write(handle, 8.0 * rank(), &own, sizeof own), 0);
  synchronize();
  for (int p = 0; p < ranks(); ++p) {
    double seen = 0;
    EXPECT_EQ(read(handle, 8.0 * p, &seen, sizeof seen), 0);
    EXPECT_EQ(seen, 1 + p);
    EXPECT_EQ(exists("of" + std::to_string(p) + ".0"), p == 0);
  }
  synchronize();
  EXPECT_EQ(SF_Destroy(handle), 0);
}

TEST_F(SharedFiles, ReachBeyond2To32) {
  const int handle = create();
  const double far = 5.0 * (1ULL << 30);
  const std::int64_t number = 1000 + rank();
  EXPECT_EQ(write(handle, far + 16.0 * rank(), &number, sizeof number), 0);
  synchronize();
  const int other = (rank() + 1) % ranks();
  std::int64_t found = -1;
  EXPECT_EQ(read(handle, far + 16.0 * other, &found, sizeof found), 0);
  EXPECT_EQ(found, 1000 + other);
  EXPECT_EQ(read(handle, far - 8, &found, sizeof found), 0);
  EXPECT_EQ(found, 0) << "nobody wrote there";
  EXPECT_EQ(SF_Destroy(handle), 0);
}

TEST_F(SharedFiles, AreCalledByNumberOrSuffixAndGo) {
  const int first = create(), second = create();
  EXPECT_EQ(first, -3000);
  EXPECT_EQ(second, -2999);
  std::string path = common + "/suffixed";
  int third = 0;
  EXPECT_EQ(SF_Create_suffix(path.data(), -1, -1, -1, &third, 17), 0);
  EXPECT_EQ(third, -2998);
  for (const char* name : {"shared.0", "shared.1", "suffixed.17"}) EXPECT_TRUE(exists(name));
  synchronize();
  EXPECT_EQ(SF_Destroy(first), 0);
  EXPECT_FALSE(exists("shared.0")) << "also to the other ranks";
  synchronize();
  EXPECT_EQ(create(), first) << "the lowest free handle";
  EXPECT_EQ(SF_Destroy(first), 0);
  EXPECT_EQ(SF_Destroy(second), 0);
  EXPECT_EQ(SF_Destroy(third), 0);
  EXPECT_FALSE(exists("shared.1"));
  EXPECT_FALSE(exists("suffixed.17"));
}

TEST_F(SharedFiles, KeepWhatAnEarlierRunLeft) {
  if (rank() == 0) std::ofstream(common + "/shared.0") << "from before";
  synchronize();
  const int handle = create();
  char found[12] = "";
  EXPECT_EQ(read(handle, 0, found, 11), 0);
  EXPECT_STREQ(found, "from before");
  EXPECT_EQ(SF_Destroy(handle), 0);
}

TEST_F(SharedFiles, TellAllRanksThatTheFirstOneCouldNotRemoveAFile) {
  const int handle = create();
  synchronize();
  if (rank() == 0) {
    std::filesystem::remove(common + "/shared.0");
    std::filesystem::create_directory(common + "/shared.0");
  }
  EXPECT_EQ(SF_Destroy(handle), -10013);
  EXPECT_NE(words(-10013).find("Is a directory"), std::string::npos) << words(-10013);
  EXPECT_EQ(SF_Destroy(handle), -10006);
}

TEST_F(SharedFiles, GrowBeyondTheSizesThatTheProgramGuessed) {
  const int handle = create(1000);
  const Bytes bytes(600, 'a');
  EXPECT_EQ(write(handle, 401, bytes.data(), 600), 0);
  synchronize();
  EXPECT_EQ(std::filesystem::file_size(common + "/shared.0"), 1001u);
  synchronize();
  EXPECT_EQ(SF_Destroy(handle), 0);
}

TEST_F(SharedFiles, AnswerWrongUsesByCodesWithWords) {
  char bytes[100] = "";
  int handle = 5, id = 0;
  std::string path = common + "/none/shared";
  EXPECT_EQ(SF_Create(path.data(), -1, -1, -1, &handle), -10004) << "on all ranks";
  EXPECT_NE(words(-10004).find("No such file or directory"), std::string::npos) << words(-10004);
  for (const int none : {0, -1, -3000, -3001, 100}) {
    EXPECT_EQ(SF_Write(none, 0, 1, bytes, &id), -10006);
    EXPECT_EQ(SF_Wait(&id), -10006);
    EXPECT_EQ(SF_Read(none, 0, 1, bytes, &id), -10006);
    EXPECT_EQ(SF_Open(none), -10006);
    EXPECT_EQ(SF_Close(none), -10006);
    EXPECT_EQ(SF_Rwtor(none), -10006);
    EXPECT_EQ(SF_Fsync(none), -10006);
    EXPECT_EQ(SF_Destroy(none), -10006);
    EXPECT_EQ(words(-10006), "no such file is open: handle " + std::to_string(none));
  }
  handle = create();
  EXPECT_EQ(read(handle, 0, bytes, 1), -10001) << "nothing is written";
  synchronize();
  if (rank() == 0) {
    EXPECT_EQ(write(handle, 0, bytes, 100), 0);
  }
  synchronize();
  EXPECT_EQ(read(handle, 0, bytes, 100), 0);
  EXPECT_EQ(read(handle, 1, bytes, 100), -10001);
  EXPECT_NE(words(-10001).find("the file ends before: "), std::string::npos) << words(-10001);
  for (const double wrong : {-1.0, 0.5, std::nan(""), 1e300}) {
    EXPECT_EQ(write(handle, wrong, bytes, 1), -10018);
    EXPECT_EQ(write(handle, 0, bytes, wrong), -10018);
    EXPECT_EQ(read(handle, wrong, bytes, 1), -10018);
  }
  EXPECT_EQ(read(handle, 0, bytes, -8), -10018);
  EXPECT_EQ(words(-10018), "no whole number of bytes: bytes is -8.000000");
  id = -1;
  EXPECT_EQ(SF_Wait(&id), 0) << "was waited for";
  id = 4711;
  EXPECT_EQ(SF_Wait(&id), -10011);
  EXPECT_EQ(SF_Waitall(&id, 0), 0);
  EXPECT_EQ(SF_Fsync(handle), 0);
  EXPECT_EQ(SF_Destroy(handle), 0);
  EXPECT_EQ(SF_Destroy(handle), -10006);
}

TEST_F(SharedFiles, AreClosedOpenedAndMadeReadOnlyByEachRankAlone) {
  const int handle = create();
  char byte = 'a';
  EXPECT_EQ(write(handle, rank(), &byte, 1), 0);
  synchronize();
  if (rank() == 0) {
    EXPECT_EQ(SF_Close(handle), 0);
    EXPECT_EQ(read(handle, 0, &byte, 1), -10006);
    EXPECT_EQ(words(-10006), "no such file is open: handle -3000 is closed");
    EXPECT_EQ(SF_Open(handle), 0);
    EXPECT_EQ(read(handle, 0, &byte, 1), 0);
    EXPECT_EQ(SF_Rwtor(handle), 0);
    EXPECT_EQ(read(handle, 0, &byte, 1), 0);
    EXPECT_EQ(write(handle, 0, &byte, 1), -10007);
    EXPECT_NE(words(-10007).find("is read-only"), std::string::npos) << words(-10007);
  } else {
    EXPECT_EQ(write(handle, rank(), &byte, 1), 0);
  }
  EXPECT_EQ(SF_Destroy(handle), 0);
}

TEST_F(SharedFiles, UseRequestNumbersAgain) {
  const int handle = create();
  std::set<int> numbers;
  for (int i = 0; i < 10000; ++i) {
    int value = i * 3 + rank(), found = -1, id = -1;
    const double offset = 400.0 * rank() + 4 * (i % 100);
    ASSERT_EQ(SF_Write(handle, offset, 4, reinterpret_cast<char*>(&value), &id), 0);
    numbers.insert(id);
    ASSERT_EQ(SF_Wait(&id), 0);
    ASSERT_EQ(SF_Read(handle, offset, 4, reinterpret_cast<char*>(&found), &id), 0);
    numbers.insert(id);
    ASSERT_EQ(SF_Wait(&id), 0);
    ASSERT_EQ(found, value);
  }
  EXPECT_LE(numbers.size(), 2u);
  EXPECT_EQ(SF_Destroy(handle), 0);
}

TEST_F(SharedFiles, TellOfFailedTransfersWhoWaits) {
  const int handle = create();
  char bytes[100] = "";
  std::vector<int> ids(3);
  detail::set_file_fault_hook([](detail::FileCall call, std::int64_t offset, std::size_t) {
    return detail::FileFault{.error =
                                 call == detail::FileCall::write && offset == 100 ? ENOSPC : 0};
  });
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(SF_Write(handle, 100.0 * i, 100, bytes, &ids[static_cast<std::size_t>(i)]), 0);
  EXPECT_EQ(SF_Waitall(ids.data(), 3), -10007);
  EXPECT_EQ(words(-10007), "cannot write: No space left on device");
  EXPECT_EQ(ids, std::vector<int>(3, -1));
  EXPECT_EQ(SF_Write(handle, 100, 100, bytes, ids.data()), 0);
  EXPECT_EQ(SF_Destroy(handle), -10007) << "nobody has waited";
  detail::set_file_fault_hook({});
}

TEST_F(SharedFiles, BelongToTheDefaultGroup) {
  ga::Groups& groups = ga::Runtime::get().groups;
  // Even and odd processes; the odd ones have a file already.
  const int before = rank() % 2 == 1 ? -1 : 0;
  const int group = groups.split(-1, rank() % 2);
  groups.set_default(group);
  const std::string name = rank() % 2 == 1 ? "odd" : "even";
  const int other = before == -1 ? create(-1, "another") : 0;
  const int handle = create(-1, name);
  EXPECT_EQ(handle, before == -1 ? -2999 : -3000);
  EXPECT_TRUE(exists(name + (before == -1 ? ".1" : ".0")));
  const int number = rank(), place = rank() / 2, members = groups.at(group).size();
  EXPECT_EQ(write(handle, 4.0 * place, &number, sizeof number), 0);
  groups.at(group).barrier();
  for (int i = 0; i < members; ++i) {
    int found = -1;
    EXPECT_EQ(read(handle, 4.0 * i, &found, sizeof found), 0);
    EXPECT_EQ(found, 2 * i + rank() % 2);
  }
  groups.set_default(-1);
  EXPECT_EQ(SF_Destroy(handle), 0) << "of the group that made it";
  if (before == -1) {
    EXPECT_EQ(SF_Destroy(other), 0);
  }
  EXPECT_TRUE(groups.destroy(group));
  synchronize();
  // Handles differ now where one part had more of them; a file of all is one all the same.
  const int all = create();
  EXPECT_EQ(SF_Destroy(all), 0);
}

TEST_F(SharedFiles, AreOneWhereRanksHaveDifferentHandles) {
  ga::Groups& groups = ga::Runtime::get().groups;
  const int group = groups.split(-1, rank() == 0 ? 0 : 1);
  groups.set_default(group);
  const int extra = rank() == 0 ? 0 : create(-1, "extra");
  groups.set_default(-1);
  const int handle = create();
  EXPECT_EQ(handle, rank() == 0 ? -3000 : -2999);
  EXPECT_TRUE(exists("shared.0"));
  const int number = 5;
  if (rank() == ranks() - 1) {
    EXPECT_EQ(write(handle, 0, &number, sizeof number), 0);
  }
  synchronize();
  int found = -1;
  EXPECT_EQ(read(handle, 0, &found, sizeof found), 0);
  EXPECT_EQ(found, 5);
  EXPECT_EQ(SF_Destroy(handle), 0);
  if (rank() != 0) {
    EXPECT_EQ(SF_Destroy(extra), 0);
  }
  EXPECT_TRUE(groups.destroy(group));
}

#ifdef ATOLL_TEST_FORTRAN
TEST_F(SharedFiles, ServeAFortranProgram) {
  Integer line = -1, handle = 0;
  const Integer me = rank(), all = ranks();
  sf_program_writes_(common.c_str(), &me, &handle, &line, static_cast<int>(common.size()));
  EXPECT_EQ(line, 0) << "of files_program.F90";
  synchronize();
  sf_program_reads_(&me, &all, &handle, &line);
  EXPECT_EQ(line, 0) << "of files_program.F90";
}
#endif

}  // namespace
