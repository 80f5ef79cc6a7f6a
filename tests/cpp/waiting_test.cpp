// Waiting, which needs no World: naps, bells, and the work that goes on meanwhile.
#include "world/waiting.hpp"

#include <thread>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::Bell;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Nap, GrowsWithTheTimeWaitedWithinItsBounds) {
  const auto nap = [](auto waited) { return detail::waiting::agent.nap(waited); };
  EXPECT_EQ(nap(microseconds(0)), microseconds(10));     // the shortest
  EXPECT_EQ(nap(microseconds(60)), microseconds(30));    // a half
  EXPECT_EQ(nap(microseconds(200)), microseconds(100));  // no more while there may be traffic
  EXPECT_EQ(nap(milliseconds(4)), microseconds(100));
  EXPECT_EQ(nap(milliseconds(50)), milliseconds(1));  // 2 %
  EXPECT_EQ(nap(seconds(60)), milliseconds(2));       // the longest
}

/// Moves for some looks, and counts what it is asked.
struct Counted {
  int moves, looks = 0, sleeps = 0;
  bool serve() noexcept { return ++looks <= moves; }
  void before_sleep(std::chrono::steady_clock::time_point /*since*/) { ++sleeps; }
  static bool needs_looks() { return true; }
};

TEST(Waiting, AsksForNothingWhereAllIsReady) {
  Counted work{.moves = 0};
  detail::wait_until(detail::waiting::in_call, [] { return true; }, work);
  EXPECT_EQ(work.looks, 0);
}

TEST(Waiting, MovesWorkOnAtEachLookAndTellsItBeforeEachSleep) {
  Counted work{.moves = 50};
  int looks = 0;
  detail::wait_until(detail::waiting::mover, [&] { return ++looks > 55; }, work);
  EXPECT_EQ(work.looks, 55);
  EXPECT_EQ(work.sleeps, 5);  // who moves something on does not sleep
}

TEST(Waiting, ABellEndsASleepThatWouldBeLong) {
  for (const auto* policy : {&detail::waiting::in_call, &detail::waiting::device}) {
    Bell bell;
    int written = 0;
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(5));
      written = 1;
      bell.ring(7);
    });
    detail::wait_while(*policy, bell, 0);
    EXPECT_EQ(bell.value(), 7U);
    EXPECT_EQ(written, 1);
    other.join();
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
