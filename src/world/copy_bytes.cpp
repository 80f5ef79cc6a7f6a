// Copying by vectors, forward, backward, and past the caches.
#include "world/copy_bytes.hpp"

#include <cstdint>
#include <exception>
#include <fstream>

#include "world/page.hpp"
#include "world/processors.hpp"

// Sanitizers know memcpy, and other architectures' is good.
#if defined(__x86_64__) && !ATOLL_SANITIZED
#include <immintrin.h>

namespace lagoon::atoll::detail {

namespace {

// Wider ones were not faster (measured). On processors without them it is two of 16 bytes.
using Vector = unsigned char __attribute__((vector_size(32)));
// One at any address. An alignment given to the vector itself is lost by GCC or by Clang, depending
// on where it stands.
struct [[gnu::packed, gnu::may_alias]] Piece {
  Vector bytes;
};
static_assert(alignof(Piece) == 1);
constexpr std::size_t width = sizeof(Piece), step = 4 * width;
constexpr std::size_t line = 64;
// A load waits for stores under way whose addresses end like its own, in the last 12 bits: the
// loads must not run into the stores that they follow.
constexpr std::size_t stores_under_way = 512;

std::size_t beyond(const void* address, std::size_t alignment) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % alignment;
}

inline void copy_vector(std::byte* target, const std::byte* source) noexcept {
  reinterpret_cast<Piece*>(target)->bytes = reinterpret_cast<const Piece*>(source)->bytes;
}

inline void copy_step(std::byte* target, const std::byte* source) noexcept {
  const auto* const from = reinterpret_cast<const Piece*>(source);
  auto* const to = reinterpret_cast<Piece*>(target);
  const Vector a = from[0].bytes, b = from[1].bytes, c = from[2].bytes, d = from[3].bytes;
  to[0].bytes = a, to[1].bytes = b, to[2].bytes = c, to[3].bytes = d;
}

// Whole cache lines are written without being read first, and what the caches hold stays there.
void stream_lines(std::byte* target, const std::byte* source, std::size_t lines) noexcept {
  constexpr int pieces = line / sizeof(__m128i);
  for (; lines > 0; --lines, target += line, source += line)
    for (int i = 0; i < pieces; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target) + i,
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source) + i));
}
// Where others are at the memory, too, a store of a whole line is better (measured: by 0.3).
__attribute__((target("avx512f"))) void stream_whole_lines(std::byte* target,
                                                           const std::byte* source,
                                                           std::size_t lines) noexcept {
  for (; lines > 0; --lines, target += line, source += line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target), _mm512_loadu_si512(source));
}

void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  const std::size_t skipped = line - beyond(target, line), lines = (bytes - skipped) / line;
  copy_step(target, source);
  const auto stream = __builtin_cpu_supports("avx512f") ? stream_whole_lines : stream_lines;
  stream(target + skipped, source + skipped, lines);
  copy_step(target + bytes - step, source + bytes - step);
  _mm_sfence();
}

// From here on source and target together do not stay in the last cache (measured: at half of it
// the two ways take the same time). sysconf tells ten times its size on some processors.
std::size_t too_long_for_caches() noexcept {
  static const std::size_t length = []() noexcept {
    std::size_t kibibytes = 0;
    try {
      std::ifstream("/sys/devices/system/cpu/cpu0/cache/index3/size") >> kibibytes;
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory to ask
    }
    return kibibytes > 0 ? kibibytes * 1024 / 8 * 3 : SIZE_MAX;
  }();
  return length;
}

// The ends go by whole vectors, too, which may overlap the others.
ATOLL_EACH_PROCESSOR
void copy_by_vectors(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  const std::size_t behind =
      (reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source)) % page;
  std::byte* const last = target + bytes - step;
  if (behind == 0 || behind >= stores_under_way) {
    copy_vector(target, source);
    const std::byte* const source_last = source + bytes - step;
    const std::size_t skipped = width - beyond(target, width);
    target += skipped;
    source += skipped;
    for (; target < last; target += step, source += step) copy_step(target, source);
    copy_step(last, source_last);
  } else {
    copy_vector(target + bytes - width, source + bytes - width);
    std::size_t at = bytes - beyond(target + bytes, width);
    for (; at >= step; at -= step) copy_step(target + at - step, source + at - step);
    copy_step(target, source);
  }
}

}  // namespace

void copy_many_bytes(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  if (bytes >= too_long_for_caches())
    copy_past_caches(target, source, bytes);
  else
    copy_by_vectors(target, source, bytes);
}

}  // namespace lagoon::atoll::detail

#else

namespace lagoon::atoll::detail {

void copy_many_bytes(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  std::memcpy(target, source, bytes);
}

}  // namespace lagoon::atoll::detail
#endif
