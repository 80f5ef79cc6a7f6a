// CRC-32C (Castagnoli), as iSCSI, ext4 and Zarr have it (RFC 3720, appendix B.4). Against
// accidents, not against attackers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lagoon::atoll::detail {

/// Of `data`; of what follows data whose checksum is `before`. `next`: what is wanted after that, a
/// hint; null: what lies behind.
std::uint32_t crc32c(std::span<const std::byte> data, std::uint32_t before = 0,
                     const std::byte* next = nullptr) noexcept;
/// Checksums are polynomials modulo one: what more bytes make of one is a product with
/// `crc32c_power` of their number. So those of two runs of bytes give that of both, one after the
/// other, as times(power(bytes of the second), first) ^ second, and two runs of equal length that
/// differ in a part differ in their checksums by that part's difference times the power of what
/// follows it.
std::uint32_t crc32c_power(std::uint64_t bytes) noexcept;
std::uint32_t crc32c_times(std::uint32_t a, std::uint32_t b) noexcept;
/// Of so many zero bytes.
std::uint32_t crc32c_of_zeros(std::uint64_t bytes) noexcept;

/// The two ways to compute it, for tests; `crc32c` takes the instruction where there is one.
std::uint32_t crc32c_by_table(std::span<const std::byte> data, std::uint32_t before) noexcept;
bool has_crc32c_instruction() noexcept;

}  // namespace lagoon::atoll::detail
