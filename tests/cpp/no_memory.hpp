// NoMemory: what a rank does when it gets no memory.
#pragma once

#include <cstddef>

namespace lagoon::atoll::test {

/// While it lives this thread's `new` of 256 KiB and more fails (no_memory.cpp).
class NoMemory {
 public:
  static constexpr std::size_t large = std::size_t{1} << 18;
  /// Not with sanitizers, which have a `new` of their own.
  static bool works() noexcept;

  NoMemory() noexcept;
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  ~NoMemory();
};

}  // namespace lagoon::atoll::test
