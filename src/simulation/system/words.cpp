// Sleeping on words of memory (futex), by the files and offsets that are mapped there.
#include "simulation/system/words.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "simulation/real.hpp"
#include "simulation/system/time.hpp"
#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

constexpr std::uintptr_t page = 4096;

struct Known {
  std::uintptr_t page = 0;
  std::uint64_t file = 0, offset = 0;  // file 0: this process's own
};
std::array<Known, 256> known;  // by some bits of the page

Known look_up(std::uintptr_t address) noexcept {
  Known found{address / page * page, 0, 0};
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return found;
  char line[1024];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0, offset = 0, inode = 0;
    unsigned major = 0, minor = 0;
    char rights[8] = {};
    if (std::sscanf(line, "%lx-%lx %4s %lx %x:%x %lu", &begin, &end, rights, &offset, &major,
                    &minor, &inode) != 7 ||
        address < begin || address >= end)
      continue;
    if (rights[3] == 's') {
      found.file = mixed(inode + (static_cast<std::uint64_t>(major) << 48U) +
                         (static_cast<std::uint64_t>(minor) << 40U)) |
                   1U;
      found.offset = offset + (found.page - begin);
    }
    break;
  }
  std::fclose(maps);
  return found;
}

const timespec* timeout_of(int operation, std::uintptr_t argument) noexcept {
  return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET
             ? reinterpret_cast<const timespec*>(argument)
             : nullptr;
}

long sleep_on(const std::uint32_t* word, std::uint32_t seen, int operation, const timespec* timeout,
              std::uint32_t mask) noexcept {
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != seen) {
    step(Kind::yield);
    errno = EAGAIN;
    return -1;
  }
  Time until = never;
  if (timeout != nullptr)
    until = operation == FUTEX_WAIT ? now() + timeout->tv_sec * second + timeout->tv_nsec
                                    : on_our_clock(CLOCK_MONOTONIC, *timeout);
  if (wait(key_of(word), until, "sleeps on a word until it is woken", mask)) return 0;
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace

Key private_key(const void* address) noexcept {
  return mixed(reinterpret_cast<std::uintptr_t>(address) +
               (static_cast<std::uint64_t>(my_rank() + 1) << 48U)) |
         1U;
}

Key key_of(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  Known& one = known[(at / page) % known.size()];
  if (one.page != at / page * page) one = look_up(at);
  if (one.file == 0) return private_key(address);
  return mixed(one.file + one.offset + at % page) | 1U;
}

void forget_mappings() noexcept { known.fill({}); }

}  // namespace lagoon::atoll::simulation

using namespace lagoon::atoll::simulation;  // NOLINT: of this library's functions of C

extern "C" {

long syscall(long number, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, number);
  std::uintptr_t a[6];
  for (std::uintptr_t& each : a) each = va_arg(arguments, std::uintptr_t);
  va_end(arguments);
  if (number != SYS_futex || me() == nullptr)
    return system_call()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const int operation = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
  auto* const word = reinterpret_cast<std::uint32_t*>(a[0]);
  const bool masked = operation == FUTEX_WAIT_BITSET || operation == FUTEX_WAKE_BITSET;
  const std::uint32_t mask = masked ? static_cast<std::uint32_t>(a[5]) : ~0U;
  switch (operation) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return sleep_on(word, static_cast<std::uint32_t>(a[2]), operation,
                      timeout_of(operation, a[3]), mask);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      const int woken = wake(key_of(word), static_cast<int>(a[2]), mask);
      if (woken > 0) moved();
      step(Kind::wake, static_cast<std::uint64_t>(woken));
      return woken;
    }
    default: return system_call()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
}

int munmap(void* address, std::size_t bytes) noexcept {
  static const auto real_one = real<int(void*, std::size_t)>("munmap");
  forget_mappings();
  return real_one(address, bytes);
}

}  // extern "C"
