// The functions of the C library that this library stands before.
#pragma once

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

namespace lagoon::atoll::simulation {

/// The next one of its name, looked up once. `static const Real<decltype(f)> real("f")`.
template <class Function>
Function* real(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using SystemCall = long(long, ...);
inline SystemCall* system_call() noexcept {
  static SystemCall* const found = real<SystemCall>("syscall");
  return found;
}

inline void sleep_really(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  system_call()(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}
inline void wake_really(const std::atomic<std::uint32_t>& word) noexcept {
  system_call()(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace lagoon::atoll::simulation
