// How long those sleep who look for what nobody announces.
#include "world/waiter.hpp"

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::nap_after;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Nap, GrowsWithTheTimeWaitedWithinItsBounds) {
  const auto nap = [](auto waited) {
    return nap_after(waited, 2, microseconds(10), microseconds(2000));
  };
  EXPECT_EQ(nap(microseconds(0)), microseconds(10));     // the shortest
  EXPECT_EQ(nap(microseconds(60)), microseconds(30));    // a half
  EXPECT_EQ(nap(microseconds(200)), microseconds(100));  // no more while there may be traffic
  EXPECT_EQ(nap(milliseconds(4)), microseconds(100));
  EXPECT_EQ(nap(milliseconds(50)), milliseconds(1));  // 2 %
  EXPECT_EQ(nap(seconds(60)), milliseconds(2));       // the longest
}

}  // namespace
}  // namespace lagoon::atoll::test
