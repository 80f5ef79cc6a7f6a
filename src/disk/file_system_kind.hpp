// FileSystemKind: what Atoll knows of file systems by the numbers that statfs tells.
#pragma once

#include <cstdint>
#include <string_view>

namespace lagoon::atoll::detail {

struct FileSystemKind {
  std::uint32_t magic = 0;
  std::string_view name{};    ///< empty if it is not known
  bool in_memory = false;     ///< what is written there takes memory
  bool shared = false;        ///< other hosts see the same files
  bool of_this_host = false;  ///< nobody else does: locks and the page cache tell of everybody
  /// Each host keeps what it has read, and some of what it has written, without asking others.
  bool cached_apart = false;
};

FileSystemKind kind_of(std::uint32_t magic) noexcept;
/// Of an open file; not known if the system does not tell.
FileSystemKind kind_of_file(int descriptor) noexcept;

}  // namespace lagoon::atoll::detail
