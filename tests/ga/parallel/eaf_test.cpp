// EAF: what programs ask of exclusive access files by their C names, against bytes in memory; what
// each wrong use answers. Each process on its own.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "disk/file_fault.hpp"
#include "files_programs.hpp"
#include "files_support.hpp"
#include "ga/chemio.h"

using namespace files_test;
namespace detail = lagoon::atoll::detail;

namespace {

class ExclusiveFiles : public Files {
 protected:
  /// A file of this process, open for reading and writing.
  int open(const std::string& name = "file", int type = EAF_RW) {
    int fd = -1;
    EXPECT_EQ(EAF_Open((mine + "/" + name).c_str(), type, &fd), 0) << words(fd);
    return fd;
  }
  std::string path(const std::string& name = "file") const { return mine + "/" + name; }
};

double length_of(int fd) {
  double length = -1;
  EXPECT_EQ(EAF_Length(fd, &length), 0);
  return length;
}

static_assert(CHEMIO_RW == EAF_RW && CHEMIO_W == EAF_W && CHEMIO_R == EAF_R && CHEMIO_OK == 0 &&
              CHEMIO_PENDING == 1 && CHEMIO_DONE == -1);

constexpr int eof = -10001;

TEST_F(ExclusiveFiles, HoldWhatWasWrittenAtRandomOffsetsAsMemoryDoes) {
  const int fd = open();
  Bytes model;
  std::mt19937 numbers(static_cast<unsigned>(17 + rank()));
  for (int step = 0; step < 2000; ++step) {
    const std::size_t offset = numbers() % 50000, size = numbers() % 3000;
    const bool waits = numbers() % 2 == 0;
    int id = -5;
    switch (numbers() % 8) {
      case 0: {  // cut or lengthen
        model.resize(offset);
        ASSERT_EQ(EAF_Truncate(fd, static_cast<double>(offset)), 0);
        break;
      }
      case 1:
      case 2:
      case 3: {
        const Bytes data = random_bytes(size, numbers());
        if (size > 0 && model.size() < offset + size) model.resize(offset + size);
        std::copy(data.begin(), data.end(),
                  model.begin() + (size > 0 ? static_cast<long>(offset) : 0));
        if (waits) {
          ASSERT_EQ(EAF_Awrite(fd, static_cast<double>(offset), data.data(), size, &id), 0);
          ASSERT_EQ(EAF_Wait(fd, id), 0);
        } else {
          ASSERT_EQ(EAF_Write(fd, static_cast<double>(offset), data.data(), size), 0);
        }
        break;
      }
      default: {
        Bytes data(size, 'x');
        const std::size_t there =
            offset >= model.size() ? 0 : std::min(size, model.size() - offset);
        int code = 0;
        if (waits) {
          ASSERT_EQ(EAF_Aread(fd, static_cast<double>(offset), data.data(), size, &id), 0);
          code = EAF_Wait(fd, id);
        } else {
          code = EAF_Read(fd, static_cast<double>(offset), data.data(), size);
        }
        ASSERT_EQ(code, there < size ? eof : 0);
        ASSERT_TRUE(std::equal(data.begin(), data.begin() + static_cast<long>(there),
                               model.begin() + (there > 0 ? static_cast<long>(offset) : 0)));
      }
    }
    ASSERT_EQ(length_of(fd), static_cast<double>(model.size()));
  }
  EXPECT_EQ(EAF_Close(fd), 0);
  std::ifstream stream(path(), std::ios::binary);
  const Bytes found{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(found, model);
}

TEST_F(ExclusiveFiles, ReachBeyond2To31And2To32) {
  const int fd = open();
  const std::uint64_t far = 5ULL << 30;
  const std::uint64_t places[] = {(1ULL << 31) - 3, (1ULL << 32) - 3, far};
  for (const std::uint64_t place : places)
    EXPECT_EQ(EAF_Write(fd, static_cast<double>(place), &place, sizeof place), 0);
  EXPECT_EQ(length_of(fd), static_cast<double>(far + sizeof far));
  for (const std::uint64_t place : places) {
    std::uint64_t found = 1;
    int id = -1;
    EXPECT_EQ(EAF_Aread(fd, static_cast<double>(place), &found, sizeof found, &id), 0);
    EXPECT_EQ(EAF_Wait(fd, id), 0);
    EXPECT_EQ(found, place);
    EXPECT_EQ(EAF_Read(fd, static_cast<double>(place - 8), &found, sizeof found), 0);
    EXPECT_EQ(found, 0u) << "nobody wrote before " << place;
  }
  EXPECT_EQ(EAF_Close(fd), 0);
}

TEST_F(ExclusiveFiles, OpenAsTheirTypesSay) {
  int fd = -1;
  char byte = 'a';
  EXPECT_NE(EAF_Open(path().c_str(), EAF_R, &fd), 0) << "it is not there";
  EXPECT_EQ(words(-10004), "cannot open the file: No such file or directory");
  fd = open("file", EAF_W);
  EXPECT_EQ(EAF_Write(fd, 9, &byte, 1), 0);
  EXPECT_EQ(EAF_Read(fd, 9, &byte, 1), -10009);
  EXPECT_EQ(words(-10009), "cannot read: the file was opened for writing only");
  EXPECT_EQ(EAF_Close(fd), 0);
  fd = open("file", EAF_RW);
  EXPECT_EQ(length_of(fd), 10) << "what is there stays";
  EXPECT_EQ(EAF_Close(fd), 0);
  fd = open("file", EAF_R);
  EXPECT_EQ(length_of(fd), 10);
  byte = 'b';
  EXPECT_EQ(EAF_Read(fd, 9, &byte, 1), 0);
  EXPECT_EQ(byte, 'a');
  EXPECT_EQ(EAF_Write(fd, 0, &byte, 1), -10007);
  EXPECT_EQ(words(-10007), "cannot write: the file was opened for reading only");
  EXPECT_EQ(EAF_Truncate(fd, 0), -10019);
  int id = 7;
  EXPECT_EQ(EAF_Awrite(fd, 0, &byte, 1, &id), -10008);
  EXPECT_EQ(EAF_Wait(fd, id), -10008) << "also for those who look only here";
  EXPECT_EQ(EAF_Close(fd), 0);
  fd = open("file", EAF_W);
  EXPECT_EQ(length_of(fd), 0) << "what was there is gone";
  EXPECT_EQ(EAF_Close(fd), 0);
  fd = open("in memory, says the type", 3);
  EXPECT_EQ(EAF_Write(fd, 0, &byte, 1), 0);
  EXPECT_EQ(EAF_Read(fd, 0, &byte, 1), 0);
  EXPECT_EQ(EAF_Close(fd), 0);
  EXPECT_EQ(EAF_Open(path().c_str(), -9, &fd), -10004);
  EXPECT_EQ(words(-10004), "cannot open the file: the type is -9");
}

TEST_F(ExclusiveFiles, AnswerWrongUsesByCodesWithWords) {
  char bytes[20] = "0123456789";
  double length = 0;
  int fd = 99, id = 0, status = 0;
  EXPECT_EQ(EAF_Open((mine + "/none/file").c_str(), EAF_RW, &fd), -10004);
  EXPECT_EQ(words(-10004), "cannot open the file: No such file or directory");
  EXPECT_EQ(EAF_Open(mine.c_str(), EAF_RW, &fd), -10004) << "a folder";
  EXPECT_EQ(EAF_Open((mine + "/").c_str(), EAF_RW, &fd), -10004);
  EXPECT_EQ(words(-10004), "cannot open the file: there is no name");
  EXPECT_EQ(EAF_Open("", EAF_RW, &fd), -10004);
  for (const int none : {-1, 99, 12345678}) {
    EXPECT_EQ(EAF_Read(none, 0, bytes, 1), -10006);
    EXPECT_EQ(EAF_Write(none, 0, bytes, 1), -10006);
    EXPECT_EQ(EAF_Aread(none, 0, bytes, 1, &id), -10006);
    EXPECT_EQ(EAF_Awrite(none, 0, bytes, 1, &id), -10006);
    EXPECT_EQ(EAF_Wait(none, id), -10006);
    EXPECT_EQ(EAF_Length(none, &length), -10006);
    EXPECT_EQ(EAF_Truncate(none, 0), -10006);
    EXPECT_EQ(EAF_Close(none), -10006);
    EXPECT_EQ(words(-10006), "no such file is open: descriptor " + std::to_string(none));
  }
  fd = open();
  EXPECT_EQ(EAF_Write(fd, 0, bytes, 10), 0);
  for (const double wrong : {-1.0, 0.5, std::nan(""), 1e300, -1e300}) {
    EXPECT_EQ(EAF_Read(fd, wrong, bytes, 1), -10018);
    EXPECT_EQ(EAF_Write(fd, wrong, bytes, 1), -10018);
    EXPECT_EQ(EAF_Truncate(fd, wrong), -10018);
    EXPECT_EQ(EAF_Aread(fd, wrong, bytes, 1, &id), -10018);
    EXPECT_EQ(EAF_Wait(fd, id), -10018);
  }
  EXPECT_EQ(EAF_Read(fd, -1, bytes, 1), -10018);
  EXPECT_EQ(words(-10018), "no whole number of bytes: offset is -1.000000");
  EXPECT_EQ(EAF_Read(fd, 0, bytes, static_cast<size_t>(-3)), -10018);
  EXPECT_EQ(words(-10018), "no whole number of bytes: bytes is -3");
  EXPECT_EQ(length_of(fd), 10);
  std::memset(bytes, 0, sizeof bytes);
  EXPECT_EQ(EAF_Read(fd, 5, bytes, 10), eof);
  EXPECT_EQ(words(eof), "the file ends before: 5 of 10 bytes read");
  EXPECT_STREQ(bytes, "56789");
  EXPECT_EQ(EAF_Eof(eof), 0);
  EXPECT_EQ(EAF_Eof(0), 1);
  EXPECT_EQ(EAF_Eof(-10009), 1);
  EXPECT_EQ(EAF_Read(fd, 10, bytes, 0), 0) << "nothing is there";
  EXPECT_EQ(EAF_Wait(fd, 4711), -10011);
  EXPECT_EQ(words(-10011), "cannot wait: no request 4711");
  EXPECT_EQ(EAF_Probe(4711, &status), -10012);
  EXPECT_EQ(status, 1);
  EXPECT_EQ(words(0), "no error");
  EXPECT_EQ(words(5), "unknown code 5");
  for (int code = -10022; code <= -10001; ++code)
    EXPECT_EQ(words(code).find("unknown") == std::string::npos, code != -10014 && code != -10017)
        << code;
  EXPECT_EQ(EAF_Close(fd), 0);
  EXPECT_EQ(EAF_Close(fd), -10006);
}

TEST_F(ExclusiveFiles, UseRequestNumbersAgain) {
  const int fd = open();
  std::set<int> numbers;
  for (int i = 0; i < 10000; ++i) {
    int write = -1, read = -1, status = -1;
    const int value = i * 7;
    ASSERT_EQ(EAF_Awrite(fd, 4.0 * (i % 100), &value, sizeof value, &write), 0);
    ASSERT_EQ(EAF_Wait(fd, write), 0);
    int found = -1;
    ASSERT_EQ(EAF_Aread(fd, 4.0 * (i % 100), &found, sizeof found, &read), 0);
    while (status != 1) ASSERT_EQ(EAF_Probe(read, &status), 0);
    ASSERT_EQ(EAF_Wait(fd, read), 0);
    ASSERT_EQ(found, value);
    numbers.insert({write, read});
  }
  EXPECT_LE(numbers.size(), 2u);
  EXPECT_EQ(EAF_Close(fd), 0);
}

TEST_F(ExclusiveFiles, KeepManyRequestsUnderWay) {
  const int fd = open();
  constexpr int count = 200;
  std::vector<Bytes> written, read(count, Bytes(1000));
  std::vector<int> ids(count);
  for (int i = 0; i < count; ++i) written.push_back(random_bytes(1000, static_cast<unsigned>(i)));
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(EAF_Awrite(fd, 1000.0 * i, written[static_cast<size_t>(i)].data(), 1000,
                         &ids[static_cast<size_t>(i)]),
              0);
  EXPECT_EQ(std::set<int>(ids.begin(), ids.end()).size(), ids.size());
  for (int i = count - 1; i >= 0; --i) EXPECT_EQ(EAF_Wait(fd, ids[static_cast<size_t>(i)]), 0);
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(EAF_Aread(fd, 1000.0 * i, read[static_cast<size_t>(i)].data(), 1000,
                        &ids[static_cast<size_t>(i)]),
              0);
  EXPECT_EQ(EAF_Close(fd), 0) << "waits for all";
  EXPECT_EQ(read, written);
}

TEST_F(ExclusiveFiles, TellOfFailedTransfersWhoWaits) {
  const int fd = open();
  const Bytes bytes(1000, 'a');
  Bytes found(1000);
  EXPECT_EQ(EAF_Write(fd, 0, bytes.data(), bytes.size()), 0);
  detail::set_file_fault_hook([](detail::FileCall call, std::int64_t, std::size_t) {
    const bool transfers = call == detail::FileCall::read || call == detail::FileCall::write;
    return detail::FileFault{.error = transfers ? EIO : 0};
  });
  int id = -1;
  EXPECT_EQ(EAF_Awrite(fd, 0, bytes.data(), bytes.size(), &id), 0);
  EXPECT_EQ(EAF_Wait(fd, id), -10008);
  EXPECT_EQ(words(-10008), "cannot write asynchronously: Input/output error");
  EXPECT_EQ(EAF_Wait(fd, id), -10011) << "it is waited for already";
  EXPECT_EQ(EAF_Aread(fd, 0, found.data(), found.size(), &id), 0);
  EXPECT_EQ(EAF_Wait(fd, id), -10010);
  EXPECT_EQ(EAF_Write(fd, 0, bytes.data(), bytes.size()), -10007);
  EXPECT_EQ(words(-10007), "cannot write: Input/output error");
  EXPECT_EQ(EAF_Awrite(fd, 0, bytes.data(), bytes.size(), &id), 0);
  EXPECT_EQ(EAF_Close(fd), -10008) << "nobody has waited";
  detail::set_file_fault_hook([](detail::FileCall call, std::int64_t, std::size_t) {
    return detail::FileFault{.error = call == detail::FileCall::open ? EMFILE : 0};
  });
  int other = -1;
  EXPECT_EQ(EAF_Open(path().c_str(), EAF_RW, &other), -10002);
  detail::set_file_fault_hook({});
  EXPECT_EQ(words(-10002), "too many files are open: Too many open files");
}

TEST_F(ExclusiveFiles, OfOneNameAreOthersInOtherFolders) {
  const int fd = open("same");
  const int number = rank();
  EXPECT_EQ(EAF_Write(fd, 0, &number, sizeof number), 0);
  synchronize();
  int found = -1;
  EXPECT_EQ(EAF_Read(fd, 0, &found, sizeof found), 0);
  EXPECT_EQ(found, number);
  EXPECT_EQ(EAF_Close(fd), 0);
}

TEST_F(ExclusiveFiles, LieInTheWorkingDirectoryIfNoneIsNamed) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(mine);
  int fd = -1;
  EXPECT_EQ(EAF_Open("bare name", EAF_W, &fd), 0);
  EXPECT_EQ(EAF_Close(fd), 0);
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::exists(path("bare name")));
}

TEST_F(ExclusiveFiles, Are300AtOnceByTheLowestFreeDescriptors) {
  std::vector<int> open_files;
  for (int i = 0; i < 300; ++i) {
    open_files.push_back(open(std::to_string(i)));
    EXPECT_EQ(open_files.back(), i);
    EXPECT_EQ(EAF_Write(i, 0, &i, sizeof i), 0);
  }
  EXPECT_EQ(EAF_Close(7), 0);
  EXPECT_EQ(EAF_Close(5), 0);
  EXPECT_EQ(open("5"), 5);
  EXPECT_EQ(open("7"), 7);
  for (const int fd : open_files) {
    int found = -1;
    EXPECT_EQ(EAF_Read(fd, 0, &found, sizeof found), 0);
    EXPECT_EQ(found, fd);
    EXPECT_EQ(EAF_Close(fd), 0);
  }
}

TEST_F(ExclusiveFiles, AreDeletedAlsoIfTheyAreNotThere) {
  EXPECT_EQ(EAF_Close(open()), 0);
  EXPECT_TRUE(std::filesystem::exists(path()));
  EXPECT_EQ(EAF_Delete(path().c_str()), 0);
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_EQ(EAF_Delete(path().c_str()), 0);
  EXPECT_EQ(EAF_Delete(mine.c_str()), -10013) << "a folder";
  EXPECT_EQ(words(-10013), "cannot delete the file: Is a directory");
}

TEST_F(ExclusiveFiles, TellOfTheirFileSystemBeforeTheyAreThere) {
  long available = -1, same = -1;
  char type[20] = "", again[20] = "";
  EXPECT_EQ(EAF_Stat(mine.c_str(), &available, type, sizeof type), 0);
  EXPECT_EQ(EAF_Stat(path("not there").c_str(), &same, again, sizeof again), 0);
  EXPECT_STREQ(type, again);
  const auto space = std::filesystem::space(mine);
  EXPECT_LE(available, static_cast<long>(space.capacity / 1024));
  EXPECT_GT(available, 0);
  EXPECT_NE(type[0], '\0');
  char cut[8] = "";
  EXPECT_EQ(EAF_Stat("/proc", &available, cut, sizeof cut), 0);
  EXPECT_LE(std::strlen(cut), 7u);
  EXPECT_EQ(EAF_Stat(mine.c_str(), &available, type, 3), -10016);
  EXPECT_EQ(words(-10016), "an argument for text is too short: fslen is 3");
  EXPECT_EQ(EAF_Stat((mine + "/none/file").c_str(), &available, type, sizeof type), -10015);
  EXPECT_EQ(words(-10015), "cannot find the file system: No such file or directory");
}

TEST_F(ExclusiveFiles, PrintWhatTheyWereAskedFor) {
  const int fd = open();
  const Bytes bytes(1000);
  Bytes found(1000);
  int id = -1;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(EAF_Write(fd, 1000.0 * i, bytes.data(), 1000), 0);
  EXPECT_EQ(EAF_Read(fd, 0, found.data(), 700), 0);
  EXPECT_EQ(EAF_Awrite(fd, 0, bytes.data(), 500, &id), 0);
  EXPECT_EQ(EAF_Wait(fd, id), 0);
  EXPECT_EQ(EAF_Aread(fd, 0, found.data(), 300, &id), 0);
  EXPECT_EQ(EAF_Wait(fd, id), 0);
  testing::internal::CaptureStdout();
  EAF_Print_stats(fd);
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_NE(printed.find("'" + path() + "', 3000 bytes long"), std::string::npos) << printed;
  const auto row = [&](const std::string& name, const std::string& calls,
                       const std::string& bytes_moved) {
    std::istringstream lines(printed.substr(std::min(printed.size(), printed.find("MB/s"))));
    std::string line, word, count, moved;
    while (std::getline(lines, line)) {
      std::istringstream(line) >> word >> count >> moved;
      if (word == name) return count == calls && moved == bytes_moved;
    }
    return false;
  };
  EXPECT_TRUE(row("write", "3", "3000")) << printed;
  EXPECT_TRUE(row("read", "1", "700")) << printed;
  EXPECT_TRUE(row("awrite", "1", "500")) << printed;
  EXPECT_TRUE(row("aread", "1", "300")) << printed;
  EXPECT_TRUE(row("wait", "2", "0")) << printed;
  EXPECT_EQ(EAF_Close(fd), 0);
  testing::internal::CaptureStderr();
  EAF_Print_stats(fd);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "EAF_Print_stats: no such file is open: descriptor " + std::to_string(fd) + "\n");
}

TEST_F(ExclusiveFiles, FollowNoPlantedLink) {
  EXPECT_EQ(EAF_Close(open("target")), 0);
  std::filesystem::create_symlink(path("target"), path("link"));
  int fd = -1;
  EXPECT_EQ(EAF_Open(path("link").c_str(), EAF_W, &fd), -10004);
}

#ifdef ATOLL_TEST_FORTRAN
TEST_F(ExclusiveFiles, ServeAFortranProgram) {
  Integer line = -1;
  eaf_program_in_fortran_(mine.c_str(), &line, static_cast<int>(mine.size()));
  EXPECT_EQ(line, 0) << "of files_program.F90";
}
#endif

}  // namespace
