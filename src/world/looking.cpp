// Looking before sleeping: the budget.
#include "world/looking.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

namespace lagoon::atoll::detail {

WaitTime Looking::processor_time() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

bool Looking::again(bool found, Time now, WaitTime processor) noexcept {
  if (!free_core_) return false;
  const WaitTime passed = last_ == Time{} ? WaitTime{0} : now - last_;
  const WaitTime taken = processor - std::exchange(processor_, processor);
  last_ = now;
  saved_ = std::min(saved_ + passed / one_part_in, most_saved);
  if (looks_ && !found) {  // what finds something is service
    saved_ -= taken;
    looked_ += taken;
    if (passed > lost_core) rests_until_ = now + rest;
  }
  if (found) {
    if (looks_ && looked_ <= of_a_sleep) saved_ = std::min(saved_ + looked_, most_saved);
    looked_ = WaitTime{0};
    request_ = now;
  }
  // Who has spent all saves for a while: a single look between two sleeps helps nobody.
  const WaitTime least = looks_ ? WaitTime{0} : of_a_sleep;
  looks_ =
      request_ != Time{} && now - request_ < after_request && now >= rests_until_ && saved_ > least;
  return looks_;
}

}  // namespace lagoon::atoll::detail
