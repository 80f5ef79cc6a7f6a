#include "compat/ga/pending.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace lagoon::atoll::ga {

// Handles are Fortran integers, which may have 4 bytes.
std::int64_t PendingOperations::done() noexcept {
  return begun_.fetch_add(1, std::memory_order_relaxed) % std::numeric_limits<std::int32_t>::max() +
         1;
}

std::int64_t PendingOperations::add(Handle handle) {
  const bool over = handle.done();
  if (over) handle.wait();  // tells what went wrong
  const std::int64_t number = done();
  if (over) return number;
  std::shared_ptr<Handle> before;
  {
    const std::lock_guard lock(mutex_);
    Slot& free = slot(number);
    before = std::exchange(free.handle, std::make_shared<Handle>(std::move(handle)));
    free.number = number;
    any_.store(true, std::memory_order_relaxed);
  }
  if (before != nullptr) before->wait();
  return number;
}

std::shared_ptr<Handle> PendingOperations::find(std::int64_t number) {
  if (number <= 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const Slot& found = slot(number);
  return found.number == number ? found.handle : nullptr;
}

void PendingOperations::forget(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  Slot& found = slot(number);
  if (found.number == number) found = {};
}

void PendingOperations::wait(std::int64_t number) {
  const std::shared_ptr<Handle> found = find(number);
  if (found == nullptr) return;
  found->wait();
  forget(number);
}

bool PendingOperations::test(std::int64_t number) {
  const std::shared_ptr<Handle> found = find(number);
  return found == nullptr || found->test();
}

void PendingOperations::wait_all() {
  if (!any_.exchange(false)) return;  // each sync comes here
  std::vector<Slot> all;
  {
    const std::lock_guard lock(mutex_);
    for (Slot& one : slots_)
      if (one.handle != nullptr) all.push_back(std::exchange(one, {}));
  }
  for (const Slot& one : all) one.handle->wait();
}

}  // namespace lagoon::atoll::ga
