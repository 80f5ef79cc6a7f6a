// Several threads of each rank in one-sided operations at once, and in collective calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "atoll/atoll.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr int threads = 3;

/// Calls `work(thread)` in all threads; the first error is a failure of the test.
template <class Work>
void in_threads(Work&& work) {
  std::vector<std::thread> all;
  std::vector<std::string> errors(threads);
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      try {
        work(t);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(t)] = error.what();
      }
    });
  for (std::thread& one : all) one.join();
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

// Each thread goes from block to block, so that what is remembered of one must not serve another.
TEST(Threads, PutsAndGetsOfManyReachTheirOwnBlocks) {
  const std::int64_t length = 64, size = world().size(), n = size * length;
  const int rounds = world().nodes() == 1 ? 20000 : 100;
  Array<std::int64_t> array(world(), {threads * size, n},
                            {.layout = Layout::blocked({threads * size, length})});
  fill(array, -1);
  std::atomic<std::int64_t> wrong = 0;
  in_threads([&](int t) {
    const std::int64_t row = world().rank() * threads + t;
    for (int round = 0; round < rounds; ++round) {
      const std::int64_t column = (round * length + round + t) % n;
      const std::int64_t value = row * n + column;
      const Patch cell{{row, column}, {row + 1, column + 1}, {}};
      array.put(cell, &value);
      std::int64_t got = 0;
      array.get(cell, &got);
      wrong += got != value;
    }
  });
  world().sync();
  std::vector<std::int64_t> whole(static_cast<std::size_t>(threads * size * n));
  array.get({{0, 0}, {threads * size, n}}, whole.data());
  for (std::int64_t i = 0; i < threads * size * n; ++i) {
    const std::int64_t value = whole[static_cast<std::size_t>(i)];
    wrong += value != -1 && value != i;
  }
  EXPECT_EQ(wrong, 0);
  world().sync();
}

// More threads than a batch of small writes has room for, and all wait to send it.
TEST(Threads, SmallWritesOfManyShareBatchesThatHoldThemAll) {
  constexpr int writers = 16, rounds = 30;
  constexpr std::int64_t length = 200;  // of 1.6 KiB
  const std::int64_t size = world().size(), me = world().rank();
  const std::int64_t target = (me + world().nodes()) % size;  // mostly on another node
  Array<double> array(world(), {size * writers, length}, {.layout = Layout::blocked({size, 1})});
  fill(array, 0.0);
  std::vector<std::thread> all;
  for (int t = 0; t < writers; ++t)
    all.emplace_back([&, t] {
      const std::int64_t row = target * writers + t;
      const std::vector<double> values(length, static_cast<double>(row));
      for (int round = 0; round < rounds; ++round) {
        std::vector<Handle> begun;
        for (int i = 0; i < 8; ++i)
          begun.push_back(array.put_async({{row, 0}, {row + 1, length}}, values.data()));
        for (Handle& each : begun) each.wait();
      }
    });
  for (std::thread& one : all) one.join();
  world().sync();
  std::vector<double> whole(static_cast<std::size_t>(size * writers * length));
  array.get({{0, 0}, {size * writers, length}}, whole.data());
  for (std::size_t i = 0; i < whole.size(); ++i)
    ASSERT_EQ(whole[i], static_cast<double>(i / static_cast<std::size_t>(length)));
  world().sync();
}

// Each asks the agent what is done. Where there are asserts, one counts how many do so at once.
TEST(Threads, FencesOfManyAskAnAgentFewTimesAtOnce) {
  constexpr int writers = 12, rounds = 40;
  const std::int64_t size = world().size(), target = (world().rank() + world().nodes()) % size;
  Array<std::int64_t> array(world(), {size, writers}, {.layout = Layout::blocked({1, writers})});
  fill(array, 0);
  std::vector<std::thread> all;
  for (int t = 0; t < writers; ++t)
    all.emplace_back([&, t] {
      const Patch mine{{target, t}, {target + 1, t + 1}};
      for (std::int64_t round = 0; round <= rounds; ++round) {
        array.put(mine, &round);
        world().fence();
      }
    });
  for (std::thread& one : all) one.join();
  world().sync();
  std::vector<std::int64_t> got(static_cast<std::size_t>(size * writers));
  array.get(whole(array.shape()), got.data());
  EXPECT_EQ(got, std::vector<std::int64_t>(got.size(), rounds));
  world().sync();
}

TEST(Threads, AccumulatesAndHandlesOfManyAreAllCounted) {
  const std::int64_t size = world().size();
  constexpr std::int64_t length = 3000;
  constexpr int rounds = 12;
  Array<double> array(world(), {size * length}), read_meanwhile(world(), {size * length});
  fill(array, 0.0);
  fill(read_meanwhile, 1.0);
  in_threads([&](int t) {
    const std::vector<double> ones(length, 1.0);
    for (int round = 0; round < rounds; ++round) {
      const std::int64_t at = (world().rank() + t + round) % size * length;
      Handle all = array.accumulate_async({{at}, {at + length}}, ones.data());
      Handle one = array.accumulate_async({{at + round}, {at + round + 1}}, ones.data());
      if (round % 3 == 0) world().fence();
      one.wait();
      all.wait();
      std::vector<double> got(length, -1.0);
      Handle read = read_meanwhile.get_async({{at}, {at + length}}, got.data());
      while (!read.test()) std::this_thread::yield();
      EXPECT_EQ(got.front(), 1.0);
      EXPECT_EQ(got.back(), 1.0);
    }
  });
  world().sync();
  EXPECT_EQ(sum(array).as<double>(),
            static_cast<double>(size * threads * rounds) * static_cast<double>(length + 1));
}

TEST(Threads, ACounterGivesEachNumberToOneThreadOfAll) {
  constexpr std::int64_t each = 40;
  Counter counter(world());
  const std::int64_t numbers = each * threads * world().size();
  Array<std::int64_t> drawn(world(), {numbers});
  fill(drawn, 0);
  in_threads([&](int) {
    const std::int64_t one = 1;
    for (std::int64_t i = 0; i < each; ++i) {
      const std::int64_t number = counter.next();
      drawn.accumulate({{number}, {number + 1}, {}}, &one);
    }
  });
  world().sync();
  std::vector<std::int64_t> times(static_cast<std::size_t>(numbers));
  drawn.get(whole(drawn.shape()), times.data());
  EXPECT_EQ(times, std::vector<std::int64_t>(times.size(), 1));
  world().sync();
}

TEST(Threads, AHandleIsWaitedForByAnotherThread) {
  const std::int64_t size = world().size();
  constexpr std::int64_t length = 200'000;
  Array<std::int64_t> array(world(), {size, length}, {.layout = Layout::blocked({1, length})});
  std::fill_n(array.local().data, length, world().rank() + 1);
  world().sync();
  const std::int64_t next = (world().rank() + 1) % size;
  std::vector<std::int64_t> got(length, 0);
  Handle begun = array.get_async({{next, 0}, {next + 1, length}}, got.data());
  std::thread([&] { begun.wait(); }).join();
  EXPECT_EQ(got.back(), next + 1);
  world().sync();
}

TEST(Threads, AMutexExcludesThreadsOfAProcessAsThoseOfSeveral) {
  Mutexes mutexes(world(), 1);
  Array<std::int64_t> array(world(), {1});
  fill(array, 0);
  constexpr int rounds = 20;
  in_threads([&](int) {
    for (int round = 0; round < rounds; ++round) {
      mutexes.lock(0, 0);
      std::int64_t value = 0;
      array.get({{0}, {1}}, &value);
      ++value;
      array.put({{0}, {1}}, &value);
      mutexes.unlock(0, 0);
    }
  });
  world().sync();
  std::int64_t value = 0;
  array.get({{0}, {1}}, &value);
  EXPECT_EQ(value, world().size() * threads * rounds);
  world().sync();
  mutexes.destroy();
}

TEST(Threads, TwoCollectiveCallsAtOnceAreAnError) {
  if (world().size() < 2) GTEST_SKIP() << "a call of one rank waits for nobody";
  // Rank 0 comes only when all others have tried the second call.
  Array<std::int64_t> tried(world(), {1});
  fill(tried, 0);
  if (world().rank() == 0) {
    std::int64_t seen = 0;
    while (seen < world().size() - 1) {
      seen = tried.fetch_add({0}, 0);
      std::this_thread::yield();
    }
    world().sync();
    return;
  }
  std::atomic<bool> inside = false;
  std::thread first([&] {
    inside = true;
    world().sync();
  });
  while (!inside) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  try {
    world().sync();
    ADD_FAILURE() << "a second thread came in";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::state);
    EXPECT_NE(std::string(error.what()).find("another thread"), std::string::npos) << error.what();
  }
  (void)tried.fetch_add({0}, 1);
  first.join();
}

}  // namespace
}  // namespace lagoon::atoll::test
