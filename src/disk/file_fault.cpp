// The hooks of the tests.
#include "disk/file_fault.hpp"

#include <atomic>
#include <utility>

namespace lagoon::atoll::detail {

namespace {

template <class Function>
class Hook {
 public:
  void set(Function function) {
    function_ = std::move(function);
    is_set_.store(static_cast<bool>(function_), std::memory_order_release);
  }
  bool is_set() const noexcept { return is_set_.load(std::memory_order_acquire); }
  const Function& function() const noexcept { return function_; }

 private:
  std::atomic<bool> is_set_{false};
  Function function_;
};

Hook<FileFaultHook>& faults() {
  static auto& hook = *new Hook<FileFaultHook>;  // files outlive what is static
  return hook;
}

Hook<FileEventHook>& events() {
  static auto& hook = *new Hook<FileEventHook>;
  return hook;
}

}  // namespace

void set_file_fault_hook(FileFaultHook hook) { faults().set(std::move(hook)); }

FileFault fault_of(FileCall call, std::int64_t offset, std::size_t bytes) {
  if (!faults().is_set()) return {};
  return faults().function()(call, offset, bytes);
}

void set_file_event_hook(FileEventHook hook) { events().set(std::move(hook)); }

void tell(FileCall call, const std::string& path, std::int64_t offset,
          std::span<const std::byte> data) {
  if (events().is_set()) events().function()({call, path, offset, data});
}

}  // namespace lagoon::atoll::detail
