// Mutexes: they keep others out, in a node and between nodes, and waiting for one costs no
// messages.
#include "atoll/mutexes.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "support.hpp"
#include "wire_counter.hpp"
#include "world/node_mutex.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {
namespace {

/// One cell a member, read and written without atomics.
class Cells {
 public:
  explicit Cells(const Group& group)
      : cells_(group, {group.size()}, {.layout = Layout::blocked({1}), .zero = true}) {}
  void increment(int rank) {
    std::int64_t value = 0;
    const Patch cell{{rank}, {rank + 1}, {}};
    cells_.get(cell, &value);
    ++value;
    cells_.put(cell, &value);
  }
  std::int64_t value(int rank) const {
    std::int64_t value = 0;
    cells_.get(Patch{{rank}, {rank + 1}, {}}, &value);
    return value;
  }

 private:
  Array<std::int64_t> cells_;
};

TEST(Mutexes, KeepOthersOutOfACounterThatIsNotAtomic) {
  for (const Group& group : {Group(world()), world().split(world().rank() % 2)}) {
    const int n = group.size(), times = 60;
    Mutexes mutexes(group, 1 + group.rank());  // as many as each likes
    Cells cells(group);
    for (int i = 0; i < times * n; ++i) {
      const int home = (i + group.rank()) % n, cell = (home + 1) % n;
      mutexes.lock(home, home);
      cells.increment(cell);  // of another member than the mutex: the unlock waits for the put
      mutexes.unlock(home, home);
    }
    group.sync();
    for (int rank = 0; rank < n; ++rank) EXPECT_EQ(cells.value(rank), std::int64_t{times} * n);
    group.sync();
    mutexes.destroy();
  }
}

TEST(Mutexes, OneIsPassedOnAmongAllWhileOthersAreHeld) {
  const int n = world().size();
  Mutexes mutexes(world(), 2);
  Cells cells(world());
  mutexes.lock(1, world().rank());  // one of each member's own all the time
  for (int i = 0; i < 200; ++i) {
    mutexes.lock(0, n - 1);
    cells.increment(0);
    mutexes.unlock(0, n - 1);
  }
  mutexes.unlock(1, world().rank());
  world().sync();
  EXPECT_EQ(cells.value(0), std::int64_t{200} * n);
  world().sync();
}

TEST(Mutexes, OneThreadHoldsAsManyAtOnceAsThereAreRecords) {
  const bool between_nodes = world().nodes() > 1;
  constexpr std::int64_t most = Mutexes::most_held;
  Mutexes mutexes(world(), world().rank() == 0 ? most + 2 : 0);
  if (world().rank() == world().size() - 1) {
    for (std::int64_t n = 0; n < most; ++n) mutexes.lock(n, 0);
    if (between_nodes) {
      EXPECT_TRUE(throws_error([&] { mutexes.lock(most, 0); }, ErrorKind::state, {"1024 mutexes"}));
    }
    mutexes.unlock(most / 2, 0);
    mutexes.lock(most, 0);
    for (std::int64_t n = 0; n <= most; ++n)
      if (n != most / 2) mutexes.unlock(n, 0);
  } else {
    mutexes.lock(most + 1, 0);  // beside them
    mutexes.unlock(most + 1, 0);
  }
  mutexes.destroy();
}

TEST(Mutexes, LetNoMoreThanTheirBoundPastWhoWaits) {
  constexpr int rounds = 10;
  constexpr std::int64_t bound = detail::NodeMutex::most_passes;
  detail::NodeMutex mutex{};
  detail::WorldState& state = detail::WorldState::get();
  for (int round = 0; round < rounds; ++round) {
    std::atomic<bool> is_in = false;
    mutex.lock(state);
    std::thread other([&] {
      mutex.lock(state);
      is_in = true;
      mutex.unlock();
    });
    while (mutex.waiters() == 0) std::this_thread::yield();
    std::int64_t passes = 0;
    while (!is_in && passes < 100 * bound) {
      mutex.unlock();
      mutex.lock(state);
      ++passes;
    }
    mutex.unlock();
    other.join();
    EXPECT_LE(passes, bound + 1);
  }
}

TEST(Mutexes, AreTakenInTheOrderOfTheQueue) {
  detail::NodeMutex mutex{};
  detail::WorldState& state = detail::WorldState::get();
  std::vector<int> order;  // guarded by the mutex
  std::vector<std::thread> others;
  mutex.lock(state);
  for (int i = 0; i < 5; ++i) {
    const int before = mutex.waiters();
    others.emplace_back([&, i] {
      mutex.lock(state);
      order.push_back(i);
      mutex.unlock();
    });
    while (mutex.waiters() == before) std::this_thread::yield();
  }
  mutex.unlock();
  for (std::thread& other : others) other.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Mutexes, KeepThreadsOutAlsoWhereManyPass) {
  detail::NodeMutex mutex{};
  detail::WorldState& state = detail::WorldState::get();
  constexpr int threads = 4, times = 20000;
  std::int64_t count = 0;  // guarded by the mutex
  std::vector<std::thread> others;
  for (int i = 0; i < threads; ++i)
    others.emplace_back([&] {
      for (int n = 0; n < times; ++n) {
        mutex.lock(state);
        ++count;
        mutex.unlock();
      }
    });
  for (std::thread& other : others) other.join();
  EXPECT_EQ(count, std::int64_t{threads} * times);
  EXPECT_EQ(mutex.waiters(), 0);
}

TEST(Mutexes, WaitingForOneSendsNoMessages) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  Mutexes mutexes(world(), 1);
  const int last = world().size() - 1;
  if (world().rank() == 0) mutexes.lock(0, 0);
  world().barrier();
  if (world().rank() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    mutexes.unlock(0, 0);
  } else if (world().rank() == last) {
    const std::int64_t before = messages_sent();
    mutexes.lock(0, 0);
    // To stand in the queue: what the agent of this process sends for others comes on top.
    EXPECT_LE(messages_sent() - before, 8);
    mutexes.unlock(0, 0);
  }
  world().sync();
}

TEST(Mutexes, RefuseThoseThatAreNotThereOrHeldAlready) {
  Mutexes mutexes(world(), 1);
  const int me = world().rank();
  EXPECT_THROW(mutexes.lock(1, 0), Error);
  EXPECT_THROW(mutexes.lock(-1, 0), Error);
  EXPECT_THROW(mutexes.lock(0, world().size()), Error);
  EXPECT_THROW(mutexes.unlock(0, me), Error);
  mutexes.lock(0, me);
  EXPECT_THROW(mutexes.lock(0, me), Error);
  mutexes.unlock(0, me);
  EXPECT_THROW(mutexes.unlock(0, me), Error);
  mutexes.destroy();
  EXPECT_THROW(mutexes.lock(0, me), Error);
}

TEST(Mutexes, ANegativeNumberThrowsOnAllMembers) {
  const bool wrong = world().rank() == world().size() - 1;
  EXPECT_THROW(Mutexes(world(), wrong ? -1 : 2), Error);
}

}  // namespace
}  // namespace lagoon::atoll::test
