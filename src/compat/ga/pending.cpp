#include "compat/ga/pending.hpp"

#include <limits>
#include <utility>

namespace lagoon::atoll::ga {

std::int64_t PendingOperations::done() noexcept {
  // Handles are Fortran integers, which may have 4 bytes.
  last_ = last_ == std::numeric_limits<std::int32_t>::max() ? 1 : last_ + 1;
  return last_;
}

std::int64_t PendingOperations::add(Handle handle) {
  const bool over = handle.done();
  if (over) handle.wait();  // tells what went wrong
  const std::int64_t number = done();
  if (over) return number;
  Slot& free = slot(number);
  free.handle.wait();
  free = {number, std::move(handle)};
  any_ = true;
  return number;
}

void PendingOperations::wait(std::int64_t number) {
  if (number <= 0) return;
  Slot& found = slot(number);
  if (found.number != number) return;
  found.handle.wait();
  found.number = 0;
}

bool PendingOperations::test(std::int64_t number) {
  if (number <= 0) return true;
  Slot& found = slot(number);
  return found.number != number || found.handle.test();
}

void PendingOperations::wait_all() {
  if (!any_) return;  // each sync comes here
  for (Slot& one : slots_) {
    one.handle.wait();
    one.number = 0;
  }
  any_ = false;
}

}  // namespace lagoon::atoll::ga
