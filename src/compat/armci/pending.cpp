#include "compat/armci/pending.hpp"

#include <algorithm>
#include <utility>

namespace lagoon::atoll::armci {

void PendingOperations::add(armci_hdl_t* handle, int process, std::vector<Handle> operations) {
  std::erase_if(operations, [](const Handle& operation) { return operation.done(); });
  const bool aggregate = handle != nullptr && aggregates_.contains(handle);
  if (handle != nullptr && !aggregate) handle->number = 0;  // what it stood for is forgotten
  if (operations.empty()) return;
  const bool joins = aggregate && entries_.contains(handle->number);
  const long number = joins ? handle->number : next_++;
  if (handle != nullptr) handle->number = number;
  for (Handle& operation : operations) entries_[number].push_back({process, std::move(operation)});
  count_ += operations.size();
  while (count_ > most) complete(entries_.begin());
}

void PendingOperations::complete(Entries::iterator entry) {
  // Taken out first: a failed wait may not be waited for again.
  std::vector<Operation> operations = std::move(entry->second);
  entries_.erase(entry);
  count_ -= operations.size();
  for (Operation& operation : operations) operation.handle.wait();
}

void PendingOperations::wait(armci_hdl_t& handle) {
  const auto found = entries_.find(std::exchange(handle.number, 0));
  if (found != entries_.end()) complete(found);
}

bool PendingOperations::test(armci_hdl_t& handle) {
  const auto found = entries_.find(handle.number);
  if (found != entries_.end()) {
    const bool done = std::all_of(found->second.begin(), found->second.end(),
                                  [](Operation& operation) { return operation.handle.test(); });
    if (!done) return false;
    complete(found);
  }
  handle.number = 0;
  return true;
}

void PendingOperations::wait_all() {
  while (!entries_.empty()) complete(entries_.begin());
}

void PendingOperations::wait_process(int process) {
  for (auto& [number, operations] : entries_)
    for (Operation& operation : operations)
      if (operation.process == process) operation.handle.wait();
}

void PendingOperations::aggregate(armci_hdl_t& handle) {
  handle.number = 0;
  aggregates_.insert(&handle);
}

void PendingOperations::end_aggregate(armci_hdl_t& handle) { aggregates_.erase(&handle); }

}  // namespace lagoon::atoll::armci
