// Failing calls: a program's `new` and its calls to the system, of which the n-th fails, once or
// from then on. Only calls from the program's own code (Atoll is linked into it) and from the
// standard C++ library count: MPI's own are its business. To be included in one source of a
// program.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

extern "C" const char __executable_start, etext;  // of the linker

namespace failing_calls {

enum class Kind { none, memory, system };

inline std::atomic<Kind> armed{Kind::none};
inline std::atomic<long> count{0}, first{0}, last{0}, failed{0};
inline std::atomic<const char*> what{""};  // failed last

/// Of the calls from now on, the `n`-th fails, and with `from_then_on` all behind it.
inline void arm(Kind kind, long n, bool from_then_on) {
  count = 0;
  failed = 0;
  first = n;
  last = from_then_on ? LONG_MAX : n;
  armed = kind;
}
inline void disarm() { armed = Kind::none; }

inline bool fails(Kind kind, const char* name) noexcept {
  if (armed.load(std::memory_order_relaxed) != kind) return false;
  const long n = ++count;
  if (n < first || n > last) return false;
  ++failed;
  what = name;
  return true;
}

/// Whether Atoll calls: the program itself, or the standard C++ library for it.
inline bool by_atoll(const void* caller) noexcept {
  if (armed.load(std::memory_order_relaxed) != Kind::system) return false;
  if (caller >= &__executable_start && caller < &etext) return true;
  Dl_info info{};
  return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
         std::string_view(info.dli_fname).find("libstdc++") != std::string_view::npos;
}

template <class Function>
Function real(const char* name) noexcept {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

inline bool refused(const void* caller, const char* name, int error) noexcept {
  if (!by_atoll(caller) || !fails(Kind::system, name)) return false;
  errno = error;
  return true;
}

}  // namespace failing_calls

void* operator new(std::size_t bytes) {
  if (failing_calls::fails(failing_calls::Kind::memory, "new")) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (failing_calls::fails(failing_calls::Kind::memory, "new")) throw std::bad_alloc();
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Each with its name in the system and the error that it gives.
#define FAILING_CALL(name, error, result, type, parameters, arguments)                    \
  extern "C" type name parameters {                                                       \
    if (failing_calls::refused(__builtin_return_address(0), #name, error)) return result; \
    static const auto function = failing_calls::real<type(*) parameters>(#name);          \
    return function arguments;                                                            \
  }

FAILING_CALL(mmap, ENOMEM, MAP_FAILED, void*,
             (void* at, std::size_t bytes, int protection, int flags, int file, off_t offset),
             (at, bytes, protection, flags, file, offset))
FAILING_CALL(memfd_create, EMFILE, -1, int, (const char* name, unsigned flags), (name, flags))
FAILING_CALL(ftruncate, ENOSPC, -1, int, (int file, off_t bytes) noexcept, (file, bytes))
FAILING_CALL(fallocate, EOPNOTSUPP, -1, int, (int file, int mode, off_t from, off_t bytes),
             (file, mode, from, bytes))
FAILING_CALL(madvise, EINVAL, -1, int, (void* at, std::size_t bytes, int advice) noexcept,
             (at, bytes, advice))
FAILING_CALL(fstat, EACCES, -1, int, (int file, struct stat* status) noexcept, (file, status))
FAILING_CALL(socket, EMFILE, -1, int, (int domain, int kind, int protocol) noexcept,
             (domain, kind, protocol))
FAILING_CALL(bind, EADDRINUSE, -1, int, (int file, const sockaddr* name, socklen_t bytes) noexcept,
             (file, name, bytes))
FAILING_CALL(getsockname, ENOBUFS, -1, int, (int file, sockaddr* name, socklen_t* bytes) noexcept,
             (file, name, bytes))
FAILING_CALL(getifaddrs, ENOMEM, -1, int, (ifaddrs * *list) noexcept, (list))
FAILING_CALL(pthread_create, EAGAIN, EAGAIN, int,
             (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*),
              void* argument) noexcept,
             (thread, attributes, run, argument))
FAILING_CALL(sched_getaffinity, EINVAL, -1, int,
             (pid_t process, std::size_t bytes, cpu_set_t* set) noexcept, (process, bytes, set))

extern "C" int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list more;
    va_start(more, flags);
    mode = static_cast<mode_t>(va_arg(more, unsigned));
    va_end(more);
  }
  if (failing_calls::refused(__builtin_return_address(0), "open", EMFILE)) return -1;
  static const auto function = failing_calls::real<int (*)(const char*, int, ...)>("open");
  return function(path, flags, mode);
}
