// Where tests make the system fail: every call of this layer that touches a file asks first, and
// tells afterwards what it did to files with names. An LD_PRELOAD shim would not see io_uring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace lagoon::atoll::detail {

enum class FileCall : std::uint8_t { open, read, write, sync, resize, reserve, rename, remove };

/// What is to happen instead: an errno, or a transfer of fewer bytes (at least one).
struct FileFault {
  int error = 0;
  std::size_t most_bytes = SIZE_MAX;
};

/// May be called by several threads at once. It may also end the process.
using FileFaultHook =
    std::function<FileFault(FileCall call, std::int64_t offset, std::size_t bytes)>;

/// Sets the hook, an empty one for none. Not while transfers are under way.
void set_file_fault_hook(FileFaultHook hook);

/// What the hook says; nothing without a hook.
FileFault fault_of(FileCall call, std::int64_t offset = 0, std::size_t bytes = 0);

/// A write, sync or rename that was done.
struct FileEvent {
  FileCall call;
  const std::string& path;
  std::int64_t offset;
  std::span<const std::byte> data;
};

/// May be called by several threads at once.
using FileEventHook = std::function<void(const FileEvent& event)>;
void set_file_event_hook(FileEventHook hook);
void tell(FileCall call, const std::string& path, std::int64_t offset = 0,
          std::span<const std::byte> data = {});

}  // namespace lagoon::atoll::detail
