// A heap with room behind every block, for ThreadSanitizer's runs. OpenBLAS 0.3.21 reads behind the
// vectors of its complex gemv and hemv (its issue 4013); such vectors are buffers that ScaLAPACK
// takes by malloc. Other heaps go on behind a block; ThreadSanitizer's may end there.
#include <cstddef>
#include <cstdint>

extern "C" void* __interceptor_malloc(std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)

// Called before ThreadSanitizer has started.
extern "C" [[gnu::no_sanitize_thread]] void* malloc(std::size_t bytes) {
  constexpr std::size_t slack = 64;  // the widest vector register
  return __interceptor_malloc(bytes > SIZE_MAX - slack ? bytes : bytes + slack);
}
