// Nonblocking operations that are not known to be complete. Each call with a handle gets a number,
// which the handle keeps; calls with an aggregate handle share one.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "atoll/handle.hpp"
#include "ga/armci.h"

namespace lagoon::atoll::armci {

/// By any threads.
class PendingOperations {
 public:
  /// Of a call for `process`; `handle` may be null. Beyond a limit the oldest are waited for.
  void add(armci_hdl_t* handle, int process, std::vector<Handle> operations);
  void wait(armci_hdl_t& handle);
  /// Whether all is complete. Never waits.
  bool test(armci_hdl_t& handle);
  void wait_all();
  void wait_process(int process);

  void aggregate(armci_hdl_t& handle);
  /// What it stands for stays to be waited for.
  void end_aggregate(armci_hdl_t& handle);

 private:
  static constexpr std::size_t most = 256;  // operations that are kept
  struct Operation {
    int process;
    std::shared_ptr<Handle> handle;
  };
  using Entries = std::map<long, std::vector<Operation>>;
  using Taken = std::vector<Operation>;
  Taken take(Entries::iterator entry);
  static void complete(const Taken& operations);
  std::mutex mutex_;  // guards all of it; nobody waits under it
  Entries entries_;   // by number, so the oldest first
  std::size_t count_ = 0;
  long next_ = 1;
  std::set<const armci_hdl_t*> aggregates_;
};

}  // namespace lagoon::atoll::armci
