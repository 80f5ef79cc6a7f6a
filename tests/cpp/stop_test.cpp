// Stopping in time: signals are remembered, limits looked ahead, and all members agree.
#include "atoll/stop.hpp"

#include <csignal>
#include <thread>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

/// What this process does on its signals is as it was afterwards. What it was asked stays asked:
/// each reason is tested once, in the order of their weight.
class Stop : public testing::Test {
 protected:
  Stop() {
    sigaction(SIGTERM, nullptr, &before_[0]);
    sigaction(SIGUSR1, nullptr, &before_[1]);
  }
  ~Stop() override {
    sigaction(SIGTERM, &before_[0], nullptr);
    sigaction(SIGUSR1, &before_[1], nullptr);
  }

 private:
  struct sigaction before_[2]{};
};

bool is_last_rank() { return world().rank() == world().size() - 1; }

TEST_F(Stop, IsAgreedOnByAllWhateverOneRankWasAskedBy) {
  EXPECT_EQ(stop_requested(world()), StopReason::none);
  EXPECT_THROW(set_time_limit(0.0), Error);
  EXPECT_THROW(set_time_limit(std::nan("")), Error);
  set_time_limit(3600.0);
  EXPECT_EQ(stop_requested(world()), StopReason::none);

  // After a step of 0.3 s another one does not fit 0.5 s.
  set_time_limit(is_last_rank() ? 0.5 : 3600.0);
  (void)stop_due();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(stop_due() == StopReason::time_limit, is_last_rank());
  EXPECT_EQ(stop_requested(world()), StopReason::time_limit);
  EXPECT_EQ(stop_requested(world()), StopReason::time_limit);  // it stays so
  set_time_limit(3600.0);
  EXPECT_EQ(stop_requested(world()), StopReason::none);

  heed_stop_signals();
  if (is_last_rank()) raise(SIGUSR1);
  EXPECT_EQ(stop_requested(world()), StopReason::user_signal);
  if (is_last_rank()) raise(SIGTERM);
  EXPECT_EQ(stop_requested(world()), StopReason::termination);
  if (is_last_rank()) raise(SIGUSR1);
  EXPECT_EQ(stop_requested(world()), StopReason::termination);
  EXPECT_STREQ(name_of(StopReason::termination), "SIGTERM");
}

}  // namespace
}  // namespace lagoon::atoll::test
