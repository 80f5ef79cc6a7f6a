// The program's `new`, which can be made to fail.
#include "no_memory.hpp"

#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ATOLL_TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ATOLL_TEST_SANITIZED
#endif

namespace {

thread_local bool fails = false;

}  // namespace

#ifndef ATOLL_TEST_SANITIZED

void* operator new(std::size_t bytes) {
  if (fails && bytes >= lagoon::atoll::test::NoMemory::large) throw std::bad_alloc();
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): this is what `new` is made of
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }               // NOLINT
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }  // NOLINT

#endif

namespace lagoon::atoll::test {

bool NoMemory::works() noexcept {
#ifdef ATOLL_TEST_SANITIZED
  return false;
#else
  return true;
#endif
}
NoMemory::NoMemory() noexcept { fails = true; }
NoMemory::~NoMemory() { fails = false; }

}  // namespace lagoon::atoll::test
