// The device: bytes arrive whatever the system does on the way, by io_uring and by threads; what it
// refuses is told by the wait that it belongs to. Nothing here is collective but folders.
#include "disk/device.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "file_support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::BeyondEnd, detail::Caching, detail::Device, detail::DeviceKind, detail::Direction;
using detail::FileCall, detail::FileFault, detail::OpenFile, detail::Transfer;

class Devices : public testing::TestWithParam<DeviceKind> {
 protected:
  void SetUp() override {
    try {
      device_ = std::make_unique<Device>(GetParam());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::shared_ptr<OpenFile> new_file(const std::string& name) {
    return std::make_shared<OpenFile>(folder_.mine("files") + "/" + name,
                                      detail::OpenMode{.creates = true, .exclusive = true});
  }
  std::shared_ptr<Transfer> write(const std::shared_ptr<OpenFile>& file, std::int64_t offset,
                                  Bytes& data, Caching caching = Caching::automatic) {
    return device_->begin(Direction::write, {{file, offset, data.data(), data.size()}},
                          BeyondEnd::zeros, caching);
  }
  std::shared_ptr<Transfer> read(const std::shared_ptr<OpenFile>& file, std::int64_t offset,
                                 Bytes& data, BeyondEnd beyond_end = BeyondEnd::zeros) {
    return device_->begin(Direction::read, {{file, offset, data.data(), data.size()}}, beyond_end);
  }

  Folder folder_;
  std::unique_ptr<Device> device_;
  Random random_{11};
};

TEST_P(Devices, ManyRequestsAtOnceMoveWhatTheyShould) {
  const auto file = new_file("many");
  std::vector<Bytes> parts;
  std::vector<std::int64_t> offsets;
  std::int64_t end = 0;
  for (int i = 0; i < 200; ++i) {
    parts.push_back(random_bytes(random_, random_.between(0, 70000)));
    end += random_.between(0, 1000);  // holes
    offsets.push_back(end);
    end += std::ssize(parts.back());
  }
  Bytes expected(static_cast<std::size_t>(end));
  std::vector<std::shared_ptr<Transfer>> transfers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::memcpy(expected.data() + offsets[i], parts[i].data(), parts[i].size());
    transfers.push_back(write(file, offsets[i], parts[i]));
  }
  for (const auto& transfer : transfers) transfer->wait();
  file->resize(end);
  EXPECT_TRUE(contents_of(file->path()) == expected);

  std::vector<Bytes> back;
  for (const Bytes& part : parts) back.emplace_back(part.size(), std::byte{1});
  transfers.clear();
  for (std::size_t i = 0; i < parts.size(); ++i)
    transfers.push_back(read(file, offsets[i], back[i]));
  for (const auto& transfer : transfers) transfer->wait();
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_TRUE(back[i] == parts[i]) << i;
}

TEST_P(Devices, ShortTransfersAndSignalsAreCompleted) {
  const auto file = new_file("short");
  Bytes data = random_bytes(random_, 30000), back(data.size());
  std::atomic<int> calls{0};
  const Faults faults([&](FileCall, std::int64_t, std::size_t) -> FileFault {
    const int call = calls++;
    if (call % 3 == 1) return {.error = EINTR};
    return {.most_bytes = static_cast<std::size_t>(1 + call * 37 % 900)};
  });
  write(file, 5, data)->wait();
  read(file, 5, back)->wait();
  EXPECT_TRUE(back == data);
  EXPECT_GT(calls, 60);
}

TEST_P(Devices, EveryErrorAtEveryCallIsToldByItsOwnWait) {
  const auto file = new_file("errors");
  constexpr int requests = 6;
  std::vector<Bytes> parts;
  for (int i = 0; i < requests; ++i) parts.push_back(random_bytes(random_, 500));
  for (const bool writes : {true, false})
    for (const int error : {EIO, ENOSPC, EDQUOT, EFBIG})
      for (std::int64_t bad = 0; bad < requests; ++bad) {
        const Faults faults([&](FileCall, std::int64_t offset, std::size_t) -> FileFault {
          return {.error = offset == bad * 500 ? error : 0};
        });
        std::vector<Bytes> memory = parts;
        std::vector<std::shared_ptr<Transfer>> transfers;
        for (std::int64_t i = 0; i < requests; ++i) {
          Bytes& mine = memory[static_cast<std::size_t>(i)];
          transfers.push_back(writes ? write(file, i * 500, mine) : read(file, i * 500, mine));
        }
        for (std::int64_t i = 0; i < requests; ++i) {
          const auto wait = [&] { transfers[static_cast<std::size_t>(i)]->wait(); };
          if (i != bad) {
            wait();
            continue;
          }
          const std::string what = std::string(writes ? "write" : "read") + " 500 bytes at " +
                                   std::to_string(bad * 500) + " of '" + file->path() + "'";
          EXPECT_TRUE(throws_error(wait, ErrorKind::file, {what, std::strerror(error)}));
          try {
            wait();  // and again
          } catch (const Error& told) {
            EXPECT_EQ(told.error_number(), error);
          }
        }
      }
}

TEST_P(Devices, ARefusalThatDoesNotEndIsTold) {
  const auto file = new_file("again");
  Bytes data = random_bytes(random_, 500);
  const Faults faults(
      [](FileCall, std::int64_t, std::size_t) -> FileFault { return {.error = EAGAIN}; });
  EXPECT_EQ(error_number_of([&] { write(file, 0, data)->wait(); }), EAGAIN);
  EXPECT_EQ(error_number_of([&] { read(file, 0, data)->wait(); }), EAGAIN);
}

TEST_P(Devices, AThreadThatEndsTakesNoRequestWithIt) {
  const auto file = new_file("thread");
  constexpr std::int64_t part = 200'000, parts = 50;
  Bytes data = random_bytes(random_, 1000);
  data.resize(part * parts, std::byte{5});
  std::vector<std::shared_ptr<Transfer>> transfers(parts);
  std::thread([&] {
    for (std::int64_t i = 0; i < parts; ++i)
      transfers[static_cast<std::size_t>(i)] = device_->begin(
          Direction::write, {{file, i * part, &data[static_cast<std::size_t>(i * part)], part}});
  }).join();
  for (const auto& transfer : transfers) transfer->wait();
  EXPECT_TRUE(contents_of(file->path()) == data);
}

TEST_P(Devices, BeyondTheEndThereAreZerosOrAnError) {
  const auto file = new_file("end");
  Bytes data = random_bytes(random_, 100);
  write(file, 0, data)->wait();
  Bytes back(150, std::byte{7});
  read(file, 0, back)->wait();
  data.resize(150);
  EXPECT_TRUE(back == data);
  EXPECT_TRUE(throws_error([&] { read(file, 50, back, BeyondEnd::error)->wait(); }, ErrorKind::file,
                           {"Input/output error"}));
}

TEST_P(Devices, OffsetsBeyondFourGibibytesAreKept) {
  const auto file = new_file("far");
  const std::int64_t far = (std::int64_t{5} << 30) + 123;
  Bytes data = random_bytes(random_, 1000), back(1000);
  try {
    write(file, far, data)->wait();
  } catch (const Error& error) {
    if (error.error_number() != EFBIG) throw;
    GTEST_SKIP() << "no files of that length here";
  }
  EXPECT_EQ(file->length(), far + 1000);
  read(file, far, back)->wait();
  EXPECT_TRUE(back == data);
  read(file, far - (std::int64_t{1} << 32), back)->wait();
  EXPECT_TRUE(back == Bytes(1000));
}

TEST_P(Devices, LargeAlignedRequestsGoPastThePageCacheAndArriveWhole) {
  const auto file = new_file("direct");
  constexpr std::size_t bytes = std::size_t{9} << 20;  // chunks of unequal size
  const auto allocate = [&] {
    return std::unique_ptr<std::byte, decltype(&std::free)>(
        static_cast<std::byte*>(std::aligned_alloc(detail::direct_alignment, bytes)), &std::free);
  };
  const auto data = allocate(), back = allocate();
  for (std::size_t i = 0; i < bytes; ++i)
    data.get()[i] = static_cast<std::byte>(i * 2654435761 >> 13);
  device_
      ->begin(Direction::write, {{file, 4096, data.get(), bytes}}, BeyondEnd::zeros,
              Caching::direct)
      ->wait();
  std::memset(back.get(), 0, bytes);
  device_
      ->begin(Direction::read, {{file, 4096, back.get(), bytes}}, BeyondEnd::zeros, Caching::direct)
      ->wait();
  EXPECT_EQ(std::memcmp(data.get(), back.get(), bytes), 0);
  EXPECT_EQ(file->read(4096, back.get(), bytes), bytes);  // by the cache
  EXPECT_EQ(std::memcmp(data.get(), back.get(), bytes), 0);
}

TEST_P(Devices, GoByThePageCacheWhereTheSystemTakesNothingPastIt) {
  const auto file = new_file("refused");
  constexpr std::size_t bytes = 2 * detail::direct_alignment;
  const std::unique_ptr<std::byte, decltype(&std::free)> data(
      static_cast<std::byte*>(std::aligned_alloc(detail::direct_alignment, bytes)), &std::free);
  std::memset(data.get(), 0x5a, bytes);
  std::atomic<int> calls{0};
  const Faults faults([&](FileCall, std::int64_t, std::size_t) -> FileFault {
    return {.error = calls++ == 0 ? EINVAL : 0};
  });
  device_
      ->begin(Direction::write, {{file, 0, data.get(), bytes}}, BeyondEnd::error, Caching::direct)
      ->wait();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(contents_of(file->path()) == Bytes(bytes, std::byte{0x5a}));
  // What is not direct is told.
  Bytes plain(100);
  calls = 0;
  EXPECT_EQ(error_number_of([&] { write(file, 1, plain)->wait(); }), EINVAL);
}

TEST_P(Devices, RequestsWithoutBytesAreDoneAtOnce) {
  const auto file = new_file("nothing");
  Bytes none;
  const auto transfer = write(file, 10, none);
  EXPECT_TRUE(transfer->done());
  transfer->wait();
  EXPECT_EQ(file->length(), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Devices, testing::Values(DeviceKind::uring, DeviceKind::threads),
                         [](const auto& kind) {
                           return kind.param == DeviceKind::uring ? "uring" : "threads";
                         });

TEST(DevicesWithoutThreads, MoveWhatTheyShouldByTheCallersOwn) {
  const Folder folder;
  const auto file = std::make_shared<OpenFile>(
      folder.mine("files") + "/f", detail::OpenMode{.creates = true, .exclusive = true});
  Random random(3);
  Bytes data = random_bytes(random, 5000), back(data.size());
  Device device(DeviceKind::threads);
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_getattr_default_np(&attributes), 0);
  std::size_t stack = 0;
  ASSERT_EQ(pthread_attr_getstacksize(&attributes, &stack), 0);
  // No thread finds room for such a stack.
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{1} << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&attributes), 0);
  const auto written =
      device.begin(Direction::write, {{file, 7, data.data(), data.size()}}, BeyondEnd::error);
  const auto read =
      device.begin(Direction::read, {{file, 7, back.data(), back.size()}}, BeyondEnd::error);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack), 0);
  ASSERT_EQ(pthread_setattr_default_np(&attributes), 0);
  pthread_attr_destroy(&attributes);
  written->wait();
  read->wait();
  EXPECT_TRUE(back == data);
}

TEST_P(Devices, MoveSmallPiecesOfCachedFilesInTheCallThatBeginsThem) {
  const Folder memory(in_memory);
  const auto file =
      std::make_shared<OpenFile>(memory.mine("files") + "/f", detail::OpenMode{.creates = true});
  Bytes expected;
  for (const std::int64_t bytes : {1, 72, 4096, 30000, 65536}) {
    Bytes data = random_bytes(random_, bytes), back(data.size());
    const auto at = std::ssize(expected);
    // Null: nothing is left to wait for.
    EXPECT_EQ(device_->begin_piece(Direction::write, {file, at, data.data(), data.size()}),
              nullptr);
    EXPECT_EQ(device_->begin_piece(Direction::read, {file, at, back.data(), back.size()}), nullptr);
    EXPECT_TRUE(back == data);
    expected.insert(expected.end(), data.begin(), data.end());
  }
  EXPECT_TRUE(contents_of(file->path()) == expected);
  Bytes large = random_bytes(random_, 65537);
  const auto transfer = device_->begin_piece(Direction::write, {file, 3, large.data(), 65537});
  ASSERT_NE(transfer, nullptr);
  transfer->wait();
  std::copy(large.begin(), large.end(), expected.begin() + 3);
  EXPECT_TRUE(contents_of(file->path()) == expected);
}

TEST_P(Devices, MoveSmallPiecesOfFilesThatNoCacheHolds) {
  const auto file = new_file("cold");
  Bytes data = random_bytes(random_, 100'000), back(data.size());
  write(file, 0, data)->wait();
  file->sync();
  (void)posix_fadvise(file->descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  for (std::size_t at = 0; at < data.size(); at += 20'000) {
    const auto transfer = device_->begin_piece(
        Direction::read, {file, static_cast<std::int64_t>(at), &back[at], 20'000});
    if (transfer != nullptr) transfer->wait();
  }
  EXPECT_TRUE(back == data);
}

TEST_P(Devices, TellErrorsOfSmallPiecesByTheWaitNotByTheCallThatBeginsThem) {
  const auto file = new_file("small");
  Bytes data = random_bytes(random_, 600);
  for (const int bad : {0, 1, 2}) {  // calls; each moves 200 bytes
    int call = 0;
    const Faults faults([&](FileCall, std::int64_t, std::size_t) {
      return call++ == bad ? FileFault{.error = ENOSPC} : FileFault{.most_bytes = 200};
    });
    const auto transfer =
        device_->begin_piece(Direction::write, {file, 0, data.data(), data.size()});
    ASSERT_NE(transfer, nullptr);
    const std::string what =
        "write " + std::to_string(600 - 200 * bad) + " bytes at " + std::to_string(200 * bad);
    for (int again = 0; again < 2; ++again)
      EXPECT_TRUE(throws_error([&] { transfer->wait(); }, ErrorKind::file, {what, file->path()}));
  }
  Bytes beyond(700, std::byte{7});
  const auto short_one = device_->begin_piece(
      Direction::read, {file, 0, beyond.data(), beyond.size()}, BeyondEnd::error);
  EXPECT_EQ(error_number_of([&] { short_one->wait(); }), EIO);
  const auto zeros = device_->begin_piece(Direction::read, {file, 0, beyond.data(), 700});
  if (zeros != nullptr) zeros->wait();
  data.resize(700);
  std::fill(data.begin() + file->length(), data.end(), std::byte{0});
  EXPECT_TRUE(beyond == data);
}

/// The descriptors of this process's rings.
std::vector<int> rings() {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry.path(), ignored) == "anon_inode:[io_uring]")
      found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

TEST(DevicesWithoutTheirRing, MoveWhatTheyShouldByThreadsAndLoseNothing) {
  const Folder folder;
  std::vector<int> others = rings();
  std::unique_ptr<Device> device;
  try {
    device = std::make_unique<Device>(DeviceKind::uring);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto file = std::make_shared<OpenFile>(
      folder.mine("files") + "/f", detail::OpenMode{.creates = true, .exclusive = true});
  std::vector<int> mine = rings();
  std::erase_if(mine, [&](int ring) { return std::ranges::count(others, ring) > 0; });
  ASSERT_EQ(mine.size(), 1U);
  Random random(8);
  constexpr std::int64_t part = 100'000, parts = 200;  // more than the kernel has at once
  Bytes data = random_bytes(random, part * parts), back(data.size());
  const auto begin_all = [&](Direction direction, Bytes& memory) {
    std::vector<std::shared_ptr<Transfer>> transfers;
    for (std::int64_t i = 0; i < parts; ++i)
      transfers.push_back(device->begin(
          direction, {{file, i * part, &memory[static_cast<std::size_t>(i * part)], part}},
          BeyondEnd::error));
    return transfers;
  };
  const auto wait_all = [](const auto& transfers) {
    for (const auto& transfer : transfers) transfer->wait();
  };
  auto under_way = begin_all(Direction::write, data);
  // As a program does that closes all descriptors which it does not know.
  const int kept = dup(mine.front()), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, mine.front());
  wait_all(under_way);
  wait_all(begin_all(Direction::read, back));
  EXPECT_TRUE(back == data);
  dup2(kept, mine.front());
  close(kept);
  close(nothing);
  std::fill(back.begin(), back.end(), std::byte{0});
  wait_all(begin_all(Direction::read, back));
  EXPECT_TRUE(back == data);
}

TEST(OpenFiles, TellOfWhatWasWrittenAndOfNothingElse) {
  const Folder folder;
  OpenFile file(folder.mine("files") + "/f", {.creates = true, .exclusive = true});
  Random random(4);
  Bytes one = random_bytes(random, 300), two = random_bytes(random, 500);
  const auto pieces = [&] {
    return std::vector<iovec>{{one.data(), one.size()}, {two.data(), two.size()}};
  };
  Bytes told(800);
  std::size_t bytes = 0;
  detail::set_file_event_hook([&](const detail::FileEvent& event) {
    std::copy(event.data.begin(), event.data.end(), told.begin() + event.offset);
    bytes += event.data.size();
  });
  {
    int calls = 0;
    const Faults faults([&](FileCall, std::int64_t, std::size_t) -> FileFault {
      return calls++ < 2 ? FileFault{.most_bytes = 250} : FileFault{.error = ENOSPC};
    });
    EXPECT_EQ(error_number_of([&] { file.write(0, pieces()); }), ENOSPC);
  }
  EXPECT_EQ(bytes, 300U);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), told.begin()));
  bytes = 0;
  file.write(0, pieces());
  EXPECT_EQ(bytes, 800U);
  EXPECT_TRUE(told == contents_of(file.path()));
  detail::set_file_event_hook({});
}

TEST(OpenFiles, LinksPipesAndFoldersAreRefused) {
  const Folder folder;
  const std::string mine = folder.mine("planted");
  std::ofstream(mine + "/victim") << "precious";
  std::filesystem::create_symlink(mine + "/victim", mine + "/link");
  ASSERT_EQ(mkfifo((mine + "/pipe").c_str(), 0600), 0);
  const auto opened = [&](const char* name, bool creates) {
    return [=, path = mine + "/" + name] { OpenFile(path, {.creates = creates}); };
  };
  for (const bool creates : {false, true}) {
    EXPECT_TRUE(throws_error(opened("link", creates), ErrorKind::file, {"symbolic link"}));
    EXPECT_TRUE(throws_error(opened("pipe", creates), ErrorKind::file, {"no regular file"}));
    EXPECT_TRUE(throws_error(opened(".", creates), ErrorKind::file, {"Is a directory"}));
  }
  EXPECT_TRUE(throws_error(opened("missing", false), ErrorKind::file, {"No such file"}));
  EXPECT_EQ(contents_of(mine + "/victim").size(), 8U);
}

TEST(OpenFiles, NewOnesAreTheirOwnersOnlyUnlessTheyAreForOthers) {
  const Folder folder;
  const OpenFile file(folder.mine("owned") + "/file", {.creates = true});
  struct stat status{};
  ASSERT_EQ(stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);

  const OpenFile other(folder.mine("owned") + "/other", {.creates = true, .for_others = true});
  ASSERT_EQ(stat(other.path().c_str(), &status), 0);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}

}  // namespace
}  // namespace lagoon::atoll::test
