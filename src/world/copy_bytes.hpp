// The copy of all paths: std::memcpy without its bad places.
//
// Where a processor announces fast short string instructions (`fsrm`), glibc copies more than
// 2,112 bytes by `rep movsb`. If the target then lies 1 to 15 bytes behind the source, modulo the
// page, that does 3 GB/s instead of 50, and up to 80 bytes behind it often half (glibc 2.36, AMD
// EPYC 9004). A block begins on a page and NumPy's large arrays 16 bytes after one, so such places
// are common. Loops of vectors are as fast everywhere as memcpy is at its best.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace lagoon::atoll::detail {

/// Below, memcpy is good at every place.
inline constexpr std::size_t shortest_own_copy = 2048;

/// Of `shortest_own_copy` bytes or more.
void copy_many_bytes(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

/// Copies `bytes` between places that do not overlap; of no bytes, they may be null.
inline void copy_bytes(void* target, const void* source, std::size_t bytes) noexcept {
  if (bytes == 0) return;  // memcpy wants places of no bytes, too
  if (bytes < shortest_own_copy)
    std::memcpy(target, source, bytes);
  else
    copy_many_bytes(static_cast<std::byte*>(target), static_cast<const std::byte*>(source), bytes);
}
/// The same; returns the end of the copy.
inline std::byte* copy_bytes(std::byte* target, std::span<const std::byte> source) noexcept {
  copy_bytes(target, source.data(), source.size());
  return target + source.size();
}

}  // namespace lagoon::atoll::detail
