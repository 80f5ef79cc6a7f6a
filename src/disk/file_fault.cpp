// The hook of the tests.
#include "disk/file_fault.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace lagoon::atoll::detail {

namespace {
std::atomic<bool> is_set{false};
FileFaultHook& hook() {
  static FileFaultHook function;
  return function;
}
}  // namespace

void set_file_fault_hook(FileFaultHook function) {
  hook() = std::move(function);
  is_set.store(static_cast<bool>(hook()), std::memory_order_release);
}

FileFault fault_of(FileCall call, std::int64_t offset, std::size_t bytes) {
  if (!is_set.load(std::memory_order_acquire)) return {};
  return hook()(call, offset, bytes);
}

}  // namespace lagoon::atoll::detail
