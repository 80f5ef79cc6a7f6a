// Who waits for a window's lock: how often all ask together, by a clock of the test's own.
#include "ghost/windows/lock_queue.hpp"

#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using ghost::LockQueue;
using ghost::LockWord;
using std::chrono::microseconds;
using std::chrono::milliseconds;

struct Cost {
  double asks_a_grant = 0;
  microseconds late{0};  // from the lock's end till the next one has it, on average
};

/// So many ask for an exclusive lock at once, and each keeps it for so long. Looks are 100 us
/// apart.
Cost cost(int waiters, microseconds kept) {
  constexpr microseconds look{100};
  const LockQueue::Time begin{};
  std::vector<LockQueue> queue;
  LockWord lock{1, 0, 0};  // somebody has it
  for (int n = 0; n < waiters; ++n, ++lock.tickets) queue.emplace_back(lock, true, begin);
  std::int64_t asks = 0;
  microseconds idle{0};
  auto now = begin, free_at = begin + kept;
  for (std::size_t first = 0; first < queue.size(); now += look) {
    if (now < free_at) {
      lock.gone = static_cast<std::int64_t>(first);
    } else {
      lock.gone = static_cast<std::int64_t>(first) + 1;
    }
    for (std::size_t n = first; n < queue.size(); ++n) {
      if (!queue[n].due(now)) continue;
      ++asks;
      queue[n].saw(lock, now);
      if (n != first || lock.gone != queue[n].ticket()) continue;
      idle += std::chrono::duration_cast<microseconds>(now - free_at);
      free_at = now + kept;
      ++first;
      break;
    }
  }
  return {static_cast<double>(asks) / waiters, idle / waiters};
}

TEST(LockQueue, AsksPerGrantGrowWithTheLogarithmOfWaiters) {
  for (const microseconds kept : {microseconds(200), microseconds(5000)})
    for (const int waiters : {1, 10, 100, 1000}) {
      const Cost all = cost(waiters, kept);
      const double looks = static_cast<double>(kept / microseconds(100));  // of who is next
      EXPECT_LT(all.asks_a_grant, looks + 12 + 4 * std::log2(waiters) +
                                      static_cast<double>(kept / milliseconds(1)) * 8)
          << waiters << " waiters, kept for " << kept.count() << " us";
      EXPECT_LE(all.late, microseconds(150)) << waiters;
    }
}

TEST(LockQueue, TheNextOneAsksAtEachLook) {
  const LockQueue::Time begin{};
  LockQueue queue({1, 0, 0}, true, begin);
  EXPECT_TRUE(queue.due(begin));
  queue.saw({2, 0, 0}, begin + milliseconds(3));
  EXPECT_TRUE(queue.due(begin + milliseconds(3)));
  LockQueue behind({5, 0, 1}, true, begin);
  EXPECT_FALSE(behind.due(begin));
  behind.saw({6, 0, 4}, begin + milliseconds(3));
  EXPECT_TRUE(behind.due(begin + milliseconds(3)));
}

}  // namespace
}  // namespace lagoon::atoll::test
