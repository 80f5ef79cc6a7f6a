// NoMemory: what a rank does when the system gives it no memory.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ATOLL_TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ATOLL_TEST_SANITIZED
#endif

namespace lagoon::atoll::test {

/// While it lives this process gets no more than a mebibyte of new memory.
class NoMemory {
 public:
#if defined(ATOLL_TEST_SANITIZED) || !defined(M_MMAP_THRESHOLD)
  static constexpr bool works = false;
#else
  static constexpr bool works = true;
#endif
  NoMemory() {
    mallopt(M_MMAP_THRESHOLD, 1 << 18);  // what is large is asked of the system
    getrlimit(RLIMIT_AS, &before_);
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    struct rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + (1 << 20));
    setrlimit(RLIMIT_AS, &limit);
  }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  ~NoMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  struct rlimit before_{};
};

}  // namespace lagoon::atoll::test
