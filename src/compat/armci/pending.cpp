#include "compat/armci/pending.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lagoon::atoll::armci {

void PendingOperations::add(armci_hdl_t* handle, int process, std::vector<Handle> operations) {
  std::erase_if(operations, [](const Handle& operation) { return operation.done(); });
  Taken oldest;
  {
    const std::lock_guard lock(mutex_);
    const bool aggregate = handle != nullptr && aggregates_.contains(handle);
    if (handle != nullptr && !aggregate) handle->number = 0;  // what it stood for is forgotten
    if (operations.empty()) return;
    const bool joins = aggregate && entries_.contains(handle->number);
    const long number = joins ? handle->number : next_++;
    if (handle != nullptr) handle->number = number;
    for (Handle& operation : operations)
      entries_[number].push_back({process, std::make_shared<Handle>(std::move(operation))});
    count_ += operations.size();
    while (count_ > most)
      for (Operation& one : take(entries_.begin())) oldest.push_back(std::move(one));
  }
  complete(oldest);
}

// Taken out first: a failed wait may not be waited for again.
PendingOperations::Taken PendingOperations::take(Entries::iterator entry) {
  Taken operations = std::move(entry->second);
  entries_.erase(entry);
  count_ -= operations.size();
  return operations;
}

void PendingOperations::complete(const Taken& operations) {
  for (const Operation& operation : operations) operation.handle->wait();
}

void PendingOperations::wait(armci_hdl_t& handle) {
  Taken mine;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(std::exchange(handle.number, 0));
    if (found != entries_.end()) mine = take(found);
  }
  complete(mine);
}

bool PendingOperations::test(armci_hdl_t& handle) {
  Taken mine;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(handle.number);
    if (found != entries_.end()) mine = found->second;
  }
  if (!std::ranges::all_of(mine, [](Operation& operation) { return operation.handle->test(); }))
    return false;
  wait(handle);
  return true;
}

void PendingOperations::wait_all() {
  Taken all;
  {
    const std::lock_guard lock(mutex_);
    while (!entries_.empty())
      for (Operation& one : take(entries_.begin())) all.push_back(std::move(one));
  }
  complete(all);
}

void PendingOperations::wait_process(int process) {
  Taken theirs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, operations] : entries_)
      std::ranges::copy_if(operations, std::back_inserter(theirs),
                           [&](const Operation& one) { return one.process == process; });
  }
  complete(theirs);
}

void PendingOperations::aggregate(armci_hdl_t& handle) {
  const std::lock_guard lock(mutex_);
  handle.number = 0;
  aggregates_.insert(&handle);
}

void PendingOperations::end_aggregate(armci_hdl_t& handle) {
  const std::lock_guard lock(mutex_);
  aggregates_.erase(&handle);
}

}  // namespace lagoon::atoll::armci
