// A heap with room behind every block, for sanitized runs. OpenBLAS 0.3.21 reads behind the vectors
// of its complex gemv and hemv (its issue 4013); such vectors are buffers that ScaLAPACK takes by
// malloc. Other heaps go on behind a block; a sanitizer's may end there.
#include <cstddef>
#include <cstdint>

extern "C" void* __interceptor_malloc(std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)

namespace {
constexpr std::size_t slack = 64;  // the widest vector register
}

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

// GCC does not install the header that declares it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT(bugprone-reserved-identifier)
    void (*taken)(const volatile void* block, std::size_t bytes),
    void (*freed)(const volatile void* block));

namespace {

bool hooked = false;  // before that the sanitizer may not have started
thread_local bool slack_follows = false;

// What the sanitizer watches finds an error in the slack, as behind any block.
void forbid_slack(const volatile void* block, std::size_t bytes) {
  if (!slack_follows) return;
  slack_follows = false;
  __asan_poison_memory_region(static_cast<const volatile char*>(block) + bytes - slack, slack);
}
void leave_alone(const volatile void*) {}

[[gnu::constructor]] void hook() {
  hooked = __sanitizer_install_malloc_and_free_hooks(forbid_slack, leave_alone) != 0;
}

}  // namespace
#endif

// Called before the sanitizer has started. The last call is a jump (this file is optimised): by the
// caller LeakSanitizer knows the memory of the dynamic linker, which it leaves out.
extern "C" [[gnu::no_sanitize_address]] void* malloc(std::size_t bytes) {
  if (bytes > SIZE_MAX - slack) return __interceptor_malloc(bytes);
#if defined(__SANITIZE_ADDRESS__)
  slack_follows = hooked;
#endif
  return __interceptor_malloc(bytes + slack);
}
