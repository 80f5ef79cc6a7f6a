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
    processor_ += microseconds{2};
    const bool found = now_ >= next_;
    if (again_) looked_ += step;
    if (again_ && !found) since_found_ += step;
    if (found) next_ = now_ + between_;
    again_ = looking_.again(found, now_, processor_);
    if (found || !again_) {
      if (!found || since_found_ > Looking::of_a_sleep) in_vain_ += since_found_;
      since_found_ = WaitTime{0};
    }
  }

  Looking looking_;
  WaitTime between_, processor_{0}, looked_{0}, in_vain_{0}, since_found_{0};
  Looking::Time now_{seconds{1000}}, next_ = now_ + milliseconds{300};
  bool again_ = false;
};

TEST(Looking, InVainTakesNoMoreThanItsShareHoweverRequestsCome) {
  for (const WaitTime between :
       {WaitTime{microseconds{150}}, WaitTime{microseconds{300}}, WaitTime{microseconds{1900}},
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

/// A clock and a thread.
struct Looker {
  Looking looking{true};
  Looking::Time now{seconds{1000}};
  WaitTime processor{0};

  bool look(bool found, WaitTime passed, WaitTime taken) {
    return looking.again(found, now += passed, processor += taken);
  }
};
constexpr microseconds one{1};

TEST(Looking, RestsWhenItsCoreWasTaken) {
  Looker who;
  (void)who.look(false, one, one);
  EXPECT_TRUE(who.look(true, seconds{1}, one));
  EXPECT_TRUE(who.look(false, one, one));
  EXPECT_FALSE(who.look(false, milliseconds{1}, one));  // somebody else ran
  EXPECT_FALSE(who.look(true, milliseconds{1}, one));
  EXPECT_TRUE(who.look(true, Looking::rest, one));
}

TEST(Looking, EndsSomeTimeAfterTheLastRequest) {
  Looker who;
  (void)who.look(false, one, one);
  EXPECT_TRUE(who.look(true, seconds{1}, one));
  for (WaitTime time{0}; time + one < Looking::after_request; time += one)
    ASSERT_TRUE(who.look(false, one, one));
  EXPECT_FALSE(who.look(false, one, one));
  EXPECT_FALSE(who.look(false, seconds{1}, one));
}

TEST(Looking, DoesNotPayForWhatWasSleptOutside) {
  Looker who;
  (void)who.look(false, one, one);
  EXPECT_TRUE(who.look(true, seconds{1}, one));
  who.looking.slept();
  EXPECT_TRUE(who.look(false, microseconds{900}, one));  // and does not rest
}

}  // namespace
}  // namespace lagoon::atoll::test
