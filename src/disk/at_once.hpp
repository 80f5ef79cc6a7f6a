// AtOnce: how a file on a file system of this host takes small transfers in the call that begins
// them. Of a read the kernel can say that it would have to wait for a device (RWF_NOWAIT). Where it
// cannot, and of a write, nobody knows before: a plain call goes to the page cache, and after one
// that took long they are left to others for a while. Network file systems are left to others
// always. May be called by several threads at once.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lagoon::atoll::detail {

class AtOnce {
 public:
  /// By one call: bytes moved, or minus an errno; EAGAIN where somebody who may wait is to do it.
  ssize_t read(int descriptor, std::int64_t offset, std::byte* memory, std::size_t bytes);
  ssize_t write(int descriptor, std::int64_t offset, const std::byte* memory, std::size_t bytes);
  /// Runs work that reads and writes a little by plain calls, if that need not be left to others.
  template <class Work>
  bool run(int descriptor, Work&& work) {
    if (way_of(writes_, descriptor, Way::timed) == Way::never) return false;
    const std::int64_t begin = now();
    if (begin < others_until_.load(std::memory_order_relaxed)) return false;
    work();
    took(begin, now());
    return true;
  }

 private:
  enum class Way : std::uint8_t { unknown, nowait, timed, plain, never };

  /// `on_disk`: the way where a device is behind the page cache.
  static Way way_of(std::atomic<Way>& way, int descriptor, Way on_disk) noexcept;
  static std::int64_t now() noexcept;
  /// After a call that took long others have their turn for a while.
  void took(std::int64_t begin, std::int64_t end) noexcept;

  std::atomic<Way> reads_{Way::unknown}, writes_{Way::unknown};
  std::atomic<std::int64_t> others_until_{0};  // nanoseconds of the steady clock
};

}  // namespace lagoon::atoll::detail
