// A heap with room behind every block, for ThreadSanitizer's runs. OpenBLAS 0.3.21 reads one
// element behind the vectors of zgemv and zhemv (its issue 4013); ScaLAPACK's own buffers are such
// vectors. Other heaps go on behind a block; ThreadSanitizer's may end there.
#include <cstddef>
#include <cstdint>

extern "C" void* __interceptor_malloc(std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)

// Called before ThreadSanitizer has started.
extern "C" [[gnu::no_sanitize_thread]] void* malloc(std::size_t bytes) {
  constexpr std::size_t slack = 64;
  return __interceptor_malloc(bytes > SIZE_MAX - slack ? bytes : bytes + slack);
}
