// Looking before sleeping: the budget.
#include "world/looking.hpp"

namespace lagoon::atoll::detail {

bool Looking::again(bool found, Time now) noexcept {
  if (!free_core_) return false;
  const WaitTime passed = last_ == Time{} ? WaitTime{0} : now - last_;
  last_ = now;
  saved_ = std::min(saved_ + passed / one_part_in, most_saved);
  if (looks_) {
    saved_ -= passed;
    looked_ += passed;
    if (!found && passed > lost_core) rests_until_ = now + rest;
  }
  if (found) {
    if (looks_ && looked_ <= of_a_sleep) saved_ = std::min(saved_ + looked_, most_saved);
    looked_ = WaitTime{0};
    request_ = now;
  }
  looks_ = request_ != Time{} && now - request_ < after_request && now >= rests_until_ &&
           saved_ > WaitTime{0};
  return looks_;
}

}  // namespace lagoon::atoll::detail
