// Looking before sleeping, by a clock of the test's own.
#include "world/looking.hpp"

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::Looking;
using detail::WaitTime;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Who serves: a request comes every so often, a look takes two microseconds, a sleep twenty.
class Served {
 public:
  Served(bool free_core, WaitTime between) : looking_(free_core), between_(between) {}

  void run(WaitTime time) {
    for (const auto end = now_ + time; now_ < end;) step();
  }
  /// Looked at once, without sleep; of that, in vain or longer than a sleep is worth.
  WaitTime looked() const { return looked_; }
  WaitTime in_vain() const { return in_vain_; }

 private:
  void step() {
    const WaitTime step = again_ ? microseconds{2} : microseconds{20};
    now_ += step;
    if (again_) looked_ += step, since_found_ += step;
    const bool found = now_ >= next_;
    if (found) next_ = now_ + between_;
    again_ = looking_.again(found, now_);
    if (found || !again_) {
      if (!found || since_found_ > Looking::of_a_sleep) in_vain_ += since_found_;
      since_found_ = WaitTime{0};
    }
  }

  Looking looking_;
  WaitTime between_, looked_{0}, in_vain_{0}, since_found_{0};
  Looking::Time now_{seconds{1000}}, next_ = now_ + milliseconds{300};
  bool again_ = false;
};

TEST(Looking, InVainTakesNoMoreThanItsShareHoweverRequestsCome) {
  for (const WaitTime between :
       {WaitTime{microseconds{60}}, WaitTime{microseconds{300}}, WaitTime{microseconds{1900}},
        WaitTime{milliseconds{3}}, WaitTime{milliseconds{50}}, WaitTime{seconds{1}}}) {
    Served served(true, between);
    served.run(seconds{20});
    EXPECT_GT(served.in_vain(), WaitTime{0});
    EXPECT_LE(served.in_vain(), seconds{20} / 20) << between.count();
  }
}

TEST(Looking, GoesOnWhileRequestsFollowEachOther) {
  Served served(true, microseconds{20});
  served.run(seconds{10});
  EXPECT_GT(served.looked(), seconds{9});
  EXPECT_LE(served.in_vain(), seconds{10} / 20);
}

TEST(Looking, IsNotDoneWhereNoCoreIsFree) {
  Served served(false, microseconds{20});
  served.run(seconds{1});
  EXPECT_EQ(served.looked(), WaitTime{0});
}

TEST(Looking, RestsWhenItsCoreWasTaken) {
  Looking looking(true);
  Looking::Time now{seconds{1000}};
  (void)looking.again(false, now);
  EXPECT_TRUE(looking.again(true, now += seconds{1}));
  EXPECT_TRUE(looking.again(false, now += microseconds{2}));
  EXPECT_FALSE(looking.again(false, now += milliseconds{1}));  // somebody else ran
  EXPECT_FALSE(looking.again(true, now += milliseconds{5}));
  EXPECT_TRUE(looking.again(true, now += Looking::rest));
}

TEST(Looking, DoesNotPayForWhatWasSleptOutside) {
  Looking looking(true);
  Looking::Time now{seconds{1000}};
  (void)looking.again(false, now);
  EXPECT_TRUE(looking.again(true, now += seconds{1}));
  looking.slept();
  EXPECT_TRUE(looking.again(false, now += microseconds{900}));
  EXPECT_TRUE(looking.again(true, now += microseconds{2}));
}

}  // namespace
}  // namespace lagoon::atoll::test
