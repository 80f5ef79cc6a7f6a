// One call, if it is short.
#include "disk/at_once.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "disk/file_system_kind.hpp"

namespace lagoon::atoll::detail {

namespace {

// A call that takes longer has waited: for a device, or because too much is to be written to it.
constexpr std::int64_t long_call = 2'000'000;  // nanoseconds
// So many times as long as it took, others wait instead.
constexpr std::int64_t pause = 4;

ssize_t or_errno(ssize_t moved) noexcept { return moved < 0 ? -errno : moved; }

}  // namespace

AtOnce::Way AtOnce::way_of(std::atomic<Way>& way, int descriptor, Way on_disk) noexcept {
  Way known = way.load(std::memory_order_relaxed);
  if (known != Way::unknown) return known;
  const FileSystemKind kind = kind_of_file(descriptor);
  if (!kind.of_this_host || (fcntl(descriptor, F_GETFL) & O_DIRECT) != 0)
    known = Way::never;
  else
    known = kind.in_memory ? Way::plain : on_disk;
  way.store(known, std::memory_order_relaxed);
  return known;
}

std::int64_t AtOnce::now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void AtOnce::took(std::int64_t begin, std::int64_t end) noexcept {
  if (end - begin > long_call)
    others_until_.store(end + pause * (end - begin), std::memory_order_relaxed);
}

ssize_t AtOnce::read(int descriptor, std::int64_t offset, std::byte* memory, std::size_t bytes) {
  const Way way = way_of(reads_, descriptor, Way::nowait);
  if (way == Way::never) return -EAGAIN;
  if (way == Way::nowait) {
    const iovec piece{memory, bytes};
    const ssize_t moved = or_errno(::preadv2(descriptor, &piece, 1, offset, RWF_NOWAIT));
    if (moved != -EOPNOTSUPP) return moved;
    reads_.store(Way::timed, std::memory_order_relaxed);
  }
  const auto plain = [&] { return or_errno(::pread(descriptor, memory, bytes, offset)); };
  if (way == Way::plain) return plain();
  ssize_t moved = -EAGAIN;
  run(descriptor, [&] { moved = plain(); });
  return moved;
}

ssize_t AtOnce::write(int descriptor, std::int64_t offset, const std::byte* memory,
                      std::size_t bytes) {
  const Way way = way_of(writes_, descriptor, Way::timed);
  if (way == Way::never) return -EAGAIN;
  const auto plain = [&] { return or_errno(::pwrite(descriptor, memory, bytes, offset)); };
  if (way == Way::plain) return plain();
  ssize_t moved = -EAGAIN;
  run(descriptor, [&] { moved = plain(); });
  return moved;
}

}  // namespace lagoon::atoll::detail
