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

AtOnce::Way AtOnce::way_of(std::atomic<Way>& way, int descriptor) noexcept {
  Way known = way.load(std::memory_order_relaxed);
  if (known != Way::unknown) return known;
  const FileSystemKind kind = kind_of_file(descriptor);
  if (!kind.of_this_host || (fcntl(descriptor, F_GETFL) & O_DIRECT) != 0)
    known = Way::never;
  else
    known = kind.in_memory ? Way::plain : Way::nowait;
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

template <class Call>
ssize_t AtOnce::move(std::atomic<Way>& way, int descriptor, Call&& call) {
  const Way known = way_of(way, descriptor);
  if (known == Way::never) return -EAGAIN;
  if (known == Way::plain) return or_errno(call(0));
  if (known == Way::nowait) {
    const ssize_t moved = or_errno(call(RWF_NOWAIT));
    if (moved != -EOPNOTSUPP) return moved;
    way.store(Way::timed, std::memory_order_relaxed);
  }
  ssize_t moved = -EAGAIN;
  run(descriptor, [&] { moved = or_errno(call(0)); });
  return moved;
}

ssize_t AtOnce::read(int descriptor, std::int64_t offset, std::byte* memory, std::size_t bytes) {
  return move(reads_, descriptor, [&](int flags) {
    if (flags == 0) return ::pread(descriptor, memory, bytes, offset);
    const iovec piece{memory, bytes};
    return ::preadv2(descriptor, &piece, 1, offset, flags);
  });
}

ssize_t AtOnce::write(int descriptor, std::int64_t offset, const std::byte* memory,
                      std::size_t bytes) {
  return move(writes_, descriptor, [&](int flags) {
    if (flags == 0) return ::pwrite(descriptor, memory, bytes, offset);
    const iovec piece{const_cast<std::byte*>(memory), bytes};  // nobody writes through it
    return ::pwritev2(descriptor, &piece, 1, offset, flags);
  });
}

}  // namespace lagoon::atoll::detail
