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
/// Of so many zero bytes.
std::uint32_t crc32c_of_zeros(std::uint64_t bytes) noexcept;

/// The two ways to compute it, for tests; `crc32c` takes the instruction where there is one.
std::uint32_t crc32c_by_table(std::span<const std::byte> data, std::uint32_t before) noexcept;
bool has_crc32c_instruction() noexcept;

}  // namespace lagoon::atoll::detail
