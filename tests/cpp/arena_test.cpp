// The arena: what it hands out, how far it searches, and that giving pages back stops nobody.
#include "world/arena.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <future>
#include <map>

#include "mpi/handles.hpp"
#include "support.hpp"

namespace {

std::function<void()> while_pages_go;

}  // namespace

/// In the place of the C library's.
extern "C" int fallocate(int file, int mode, off_t offset, off_t length) {
  static const auto original =
      reinterpret_cast<int (*)(int, int, off_t, off_t)>(dlsym(RTLD_NEXT, "fallocate"));
  if (while_pages_go) while_pages_go();
  return original(file, mode, offset, length);
}

namespace lagoon::atoll::test {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// One of this process alone.
struct OwnArena {
  explicit OwnArena(std::uint64_t bytes) : memory(mpi::comm_self, bytes), arena(memory, 0) {
    arena.format();
  }
  detail::SharedMemory memory;
  detail::Arena arena;
};

TEST(Arena, BlocksNeverOverlapAndTakeTheWholeRegionOnceFreed) {
  OwnArena own(64 * mebibyte);
  detail::Arena& arena = own.arena;
  const std::uint64_t all = arena.free_bytes();
  Random random(401);
  std::map<std::uint64_t, std::uint64_t> blocks;  // ends by beginnings
  for (int step = 0; step < 20'000; ++step) {
    if (!blocks.empty() && random.chance(0.48)) {
      const auto any = std::next(blocks.begin(), random.between(0, std::ssize(blocks) - 1));
      arena.free(any->first);
      blocks.erase(any);
      continue;
    }
    const auto bytes =
        static_cast<std::uint64_t>(random.between(1, std::int64_t{1} << random.between(1, 20)));
    const std::uint64_t offset = arena.allocate(bytes);
    if (offset == detail::Arena::none) continue;
    ASSERT_EQ(offset % detail::Arena::alignment, 0U);
    const auto next = blocks.lower_bound(offset);
    if (next != blocks.end()) {
      ASSERT_LE(offset + bytes, next->first);
    }
    if (next != blocks.begin()) {
      ASSERT_LE(std::prev(next)->second, offset);
    }
    blocks.emplace(offset, offset + bytes);
  }
  for (const auto& block : blocks) arena.free(block.first);
  EXPECT_EQ(arena.free_bytes(), all);
  const std::uint64_t whole = arena.allocate(all - detail::Arena::alignment);
  EXPECT_NE(whole, detail::Arena::none) << "neighbours did not become one";
}

TEST(Arena, TakesTheSmallestGapThatFits) {
  OwnArena own(16 * mebibyte);
  std::vector<std::uint64_t> gaps;
  for (const std::uint64_t pages : std::array<std::uint64_t, 5>{9, 5, 7, 6, 8}) {
    gaps.push_back(own.arena.allocate(pages * 4096));
    (void)own.arena.allocate(1);
  }
  for (const std::uint64_t gap : gaps) own.arena.free(gap);
  EXPECT_EQ(own.arena.allocate(6 * 4096 - 100), gaps[3]);
  EXPECT_EQ(own.arena.allocate(6 * 4096 - 100), gaps[2]);
  EXPECT_EQ(own.arena.allocate(9 * 4096), gaps[0]);
}

/// Pages that this thread had to map.
std::int64_t faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

TEST(Arena, ASearchLooksAtFewOfManyFreeBlocks) {
  constexpr int count = 4000;
  OwnArena own(512 * mebibyte);
  std::vector<std::uint64_t> gaps;
  for (int i = 0; i < count; ++i) {
    gaps.push_back(own.arena.allocate(66 << 10));
    (void)own.arena.allocate(64 << 10);  // so that no two are neighbours, nor their pages
  }
  for (const std::uint64_t gap : gaps) own.arena.free(gap);
  // What is looked at has to be mapped again.
  ASSERT_EQ(madvise(own.memory.base(), own.memory.bytes(), MADV_DONTNEED), 0);
  const std::int64_t before = faults();
  const std::uint64_t found = own.arena.allocate(100 << 10);
  EXPECT_LT(faults() - before, count / 10);
  EXPECT_NE(found, detail::Arena::none);
}

/// Takes memory on another thread; false when it does not get there in time.
class Neighbour {
 public:
  explicit Neighbour(detail::Arena& arena)
      : took_(std::async(std::launch::async, [&arena] { return arena.allocate(100); })) {}
  bool in_time() { return took_.wait_for(std::chrono::seconds(5)) == std::future_status::ready; }

 private:
  std::future<std::uint64_t> took_;
};

/// Whether another thread can allocate whenever pages go back to the system during `action`.
testing::AssertionResult lets_others_allocate(detail::Arena& arena,
                                              const std::function<void()>& action) {
  std::vector<std::unique_ptr<Neighbour>> neighbours;
  int late = 0;
  while_pages_go = [&] {
    if (late > 0) return;
    neighbours.push_back(std::make_unique<Neighbour>(arena));
    if (!neighbours.back()->in_time()) ++late;
  };
  action();
  while_pages_go = nullptr;
  if (neighbours.empty()) return testing::AssertionFailure() << "no pages went back";
  if (late > 0) return testing::AssertionFailure() << "an allocation waited for the system";
  return testing::AssertionSuccess();
}

TEST(Arena, AllocationsGoOnWhilePagesOfALargeBlockGoBack) {
  OwnArena own(256 * mebibyte);
  const std::uint64_t large = own.arena.allocate(128 * mebibyte);
  EXPECT_TRUE(lets_others_allocate(own.arena, [&] { own.arena.free(large); }));
}

TEST(Arena, AllocationsGoOnWhilePagesOfManySmallerBlocksGoBack) {
  // More than is kept for the next array, though no page of it was ever written.
  constexpr std::uint64_t each = 16 * mebibyte;
  OwnArena own(2048 * mebibyte);
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 80; ++i) blocks.push_back(own.arena.allocate(each));
  EXPECT_TRUE(lets_others_allocate(own.arena, [&] {
    for (const std::uint64_t block : blocks) own.arena.free(block);
  }));
}

TEST(Arena, NoTwoThreadsEverGetTheSameMemory) {
  OwnArena own(3072 * mebibyte);
  const std::uint64_t all = own.arena.free_bytes();
  const auto work = [&](int thread) {
    Random random(402, thread);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;  // offset, words
    int broken = 0;
    const auto word = [&](const auto& block, std::uint64_t i) -> std::uint64_t& {
      return reinterpret_cast<std::uint64_t*>(own.arena.at(block.first))[i];
    };
    for (int step = 0; step < 3000 || !blocks.empty(); ++step) {
      if (!blocks.empty() && (step >= 3000 || random.chance(0.49))) {
        const auto any = blocks.begin() + random.between(0, std::ssize(blocks) - 1);
        const auto mark = any->first + static_cast<std::uint64_t>(thread);
        broken += word(*any, 0) != mark || word(*any, any->second - 1) != mark ? 1 : 0;
        own.arena.free(any->first);
        blocks.erase(any);
        continue;
      }
      const auto words = static_cast<std::uint64_t>(
          random.between(1, std::int64_t{1} << random.between(1, step % 100 == 0 ? 23 : 18)));
      const std::uint64_t offset = own.arena.allocate(8 * words);
      if (offset == detail::Arena::none) continue;
      const auto& block = blocks.emplace_back(offset, words);
      word(block, 0) = word(block, words - 1) = offset + static_cast<std::uint64_t>(thread);
    }
    return broken;
  };
  std::vector<std::future<int>> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.push_back(std::async(std::launch::async, work, thread));
  for (auto& thread : threads) EXPECT_EQ(thread.get(), 0);
  EXPECT_EQ(own.arena.free_bytes(), all);
}

TEST(Arena, WhoFindsNoRoomWaitsForPagesThatAreOnTheirWay) {
  OwnArena own(256 * mebibyte);
  const std::uint64_t large = own.arena.allocate(200 * mebibyte);
  std::future<std::uint64_t> next;
  while_pages_go = [&] {
    if (next.valid()) return;
    next = std::async(std::launch::async, [&] { return own.arena.allocate(150 * mebibyte); });
    EXPECT_EQ(next.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  };
  own.arena.free(large);
  while_pages_go = nullptr;
  EXPECT_NE(next.get(), detail::Arena::none);
}

}  // namespace
/// Pages of this process that are in memory.
std::int64_t resident() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, there = 0;
  file >> all >> there;
  return there;
}

TEST(Arena, PrivateMemoryReadsAsZeroAndIsGivenBackWhenCleared) {
  constexpr std::uint64_t bytes = 96 * mebibyte, begin = 1000, end = bytes - 3000;
  const detail::SharedMemory memory(mpi::comm_self, bytes, detail::SharedMemory::Alone::is_private);
  std::memset(memory.base(), 1, bytes);
  const std::int64_t before = resident();
  memory.clear(begin, end - begin);
  EXPECT_LT(resident(), before - 80 * 256);  // of 4 KiB
  EXPECT_EQ(memory.base()[begin - 1], std::byte{1});
  EXPECT_EQ(memory.base()[end], std::byte{1});
  EXPECT_TRUE(std::all_of(memory.base() + begin, memory.base() + end,
                          [](std::byte b) { return b == std::byte{0}; }));
}

}  // namespace lagoon::atoll::test
