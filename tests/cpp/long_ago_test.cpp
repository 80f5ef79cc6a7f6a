// LongAgo: what was so many counted seconds ago, whatever the clock says.
#include "world/long_ago.hpp"

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::LongAgo;
using std::chrono::seconds;

TEST(LongAgo, IsKnownAfterSoManyCountedSecondsAndPassesOverStandstills) {
  const LongAgo::Time begin{seconds(1000)};
  LongAgo three(3);
  EXPECT_EQ(three.count(begin), LongAgo::never);
  EXPECT_EQ(three.count(begin + seconds(1)), LongAgo::never);
  EXPECT_EQ(three.count(begin + seconds(500)), LongAgo::never);  // stood still
  EXPECT_EQ(three.count(begin + seconds(501)), begin);
  EXPECT_EQ(three.count(begin + seconds(502)), begin + seconds(1));
  three.begin_anew();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(three.count(begin + seconds(503 + i)), LongAgo::never);
  EXPECT_EQ(three.count(begin + seconds(506)), begin + seconds(503));
}

TEST(LongAgo, OfManySecondsIsLateByAThousandthAtMost) {
  constexpr int days = 100'000;
  LongAgo many(days);
  const LongAgo::Time begin{seconds(1)};
  for (int i = 0; i < 3 * days; ++i) {
    const LongAgo::Time now = begin + seconds(i), then = many.count(now);
    ASSERT_TRUE(then != LongAgo::never || i < days + days / 500) << i;
    if (then == LongAgo::never) continue;
    ASSERT_GE(now - then, seconds(days));
    ASSERT_LE(now - then, seconds(days + days / 500));
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
