// Packing: the integrals of a shell quartet in few bytes.
//
// Values are rounded to whole multiples of a quantum, a power of two, and written as integers of
// the least number of bytes that holds the largest of the quartet. The format of a quartet:
//     1 byte: w, the bytes of a value: 0 to 6, or 8
//     w bytes for each value: two's complement, least significant byte first; for w = 8 the value
//     itself, as binary64. For w = 0 all are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lagoon::atoll::chem {

/// Bytes that must follow the last packed quartet: unpacking reads eight at a time.
inline constexpr std::size_t packing_slack = 8;

/// The largest power of two that is not larger; rounding to it is off by half of that at most.
double quantum_below(double tolerance);

/// Appends `count` values; null stands for zeros.
void pack(const double* values, std::ptrdiff_t count, double quantum, std::vector<std::byte>& out);

/// The bytes that a packed quartet takes after its first, or -1 when this cannot be one.
inline std::ptrdiff_t packed_bytes(std::byte first, std::ptrdiff_t count) noexcept {
  const auto width = std::to_integer<int>(first);
  return width <= 6 || width == 8 ? width * count : -1;
}

/// Unpacks what follows the first byte of a quartet, which tells the width.
void unpack(int width, const std::byte* in, std::ptrdiff_t count, double quantum, double* out);

/// Of whole words of eight bytes; what is left over does not count.
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

}  // namespace lagoon::atoll::chem
