// CRC-32C by the processor's instruction, three runs of bytes at once, or by tables.
#include "disk/crc32c.hpp"

#include <array>
#include <cstring>

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;  // bits reversed

/// What one more zero bit, then a byte, makes of a register.
constexpr std::uint32_t after_zero_byte(std::uint32_t crc) noexcept {
  for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
  return crc;
}

/// tables[k][b]: what byte b becomes after k more zero bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Tables make_tables() noexcept {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = after_zero_byte(byte);
    for (auto& table : tables) {
      table[byte] = crc;
      crc = after_zero_byte(crc);
    }
  }
  return tables;
}
constexpr Tables tables = make_tables();

std::uint64_t load(const std::byte* data) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return word;
}

// Of the polynomials the highest bit is that of x^0.

constexpr std::uint32_t times(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (int bit = 31; bit >= 0; --bit) {
    product ^= (a >> bit & 1) != 0 ? b : 0;
    b = (b >> 1) ^ ((b & 1) != 0 ? polynomial : 0);
  }
  return product;
}

/// x^(8 bytes).
constexpr std::uint32_t power(std::uint64_t bytes) noexcept {
  std::uint32_t result = std::uint32_t{1} << 31, square = std::uint32_t{1} << 23;
  for (; bytes > 0; bytes >>= 1, square = times(square, square))
    if ((bytes & 1) != 0) result = times(square, result);
  return result;
}

#if defined(__x86_64__)

// The instruction takes three cycles and can be begun in each: three runs at once. A block of runs
// ends with two multiplications, by tables of what a run of zeros makes of each byte of a register.
constexpr std::size_t long_run = 1024, short_run = 128;
constexpr std::size_t ahead = 8192;  // bytes

using ShiftTables = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr ShiftTables shift_tables(std::size_t run) noexcept {
  const std::uint32_t factor = power(run);
  ShiftTables result{};
  for (std::size_t place = 0; place < 4; ++place)
    for (std::uint32_t byte = 0; byte < 256; ++byte)
      result[place][byte] = times(factor, byte << (8 * place));
  return result;
}
constexpr ShiftTables after_long_run = shift_tables(long_run),
                      after_short_run = shift_tables(short_run);

std::uint32_t shifted(const ShiftTables& after_run, std::uint32_t crc) noexcept {
  return after_run[0][crc & 255] ^ after_run[1][crc >> 8 & 255] ^ after_run[2][crc >> 16 & 255] ^
         after_run[3][crc >> 24];
}

/// As many blocks of three runs as there are.
__attribute__((target("sse4.2"))) std::uint32_t by_runs(std::size_t run,
                                                        const ShiftTables& after_run,
                                                        const std::byte*& data, std::size_t& bytes,
                                                        const std::byte*& coming,
                                                        std::uint32_t crc) noexcept {
  for (; bytes >= 3 * run; bytes -= 3 * run, data += 3 * run, coming += 3 * run) {
    std::uint64_t first = crc, second = 0, third = 0;
    for (std::size_t at = 0; at < run; at += 8) {
      // Runs are too short for the processor to foresee what comes next.
      if (at % 64 == 0)
        for (std::size_t line = 0; line < 3; ++line)
          __builtin_prefetch(coming + 3 * at + line * 64);
      first = __builtin_ia32_crc32di(first, load(data + at));
      second = __builtin_ia32_crc32di(second, load(data + run + at));
      third = __builtin_ia32_crc32di(third, load(data + 2 * run + at));
    }
    crc = shifted(after_run, shifted(after_run, static_cast<std::uint32_t>(first)) ^
                                 static_cast<std::uint32_t>(second)) ^
          static_cast<std::uint32_t>(third);
  }
  return crc;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const std::byte* data,
                                                               std::size_t bytes,
                                                               const std::byte* coming,
                                                               std::uint32_t crc) noexcept {
  crc = by_runs(long_run, after_long_run, data, bytes, coming, crc);
  crc = by_runs(short_run, after_short_run, data, bytes, coming, crc);
  std::uint64_t rest = crc;
  for (; bytes >= 8; bytes -= 8, data += 8) rest = __builtin_ia32_crc32di(rest, load(data));
  crc = static_cast<std::uint32_t>(rest);
  for (; bytes > 0; --bytes, ++data)
    crc = __builtin_ia32_crc32qi(crc, std::to_integer<unsigned char>(*data));
  return crc;
}

#endif

}  // namespace

bool has_crc32c_instruction() noexcept {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("sse4.2");
  return has;
#else
  return false;
#endif
}

std::uint32_t crc32c_by_table(std::span<const std::byte> data, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  const std::byte* next = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, next += 8) {
    std::uint64_t word = load(next) ^ crc;  // little-endian
    crc = 0;
    for (std::size_t byte = 0; byte < 8; ++byte, word >>= 8) crc ^= tables[7 - byte][word & 255];
  }
  for (; left > 0; --left, ++next)
    crc = (crc >> 8) ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(*next)) & 255];
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::byte> data, std::uint32_t before,
                     const std::byte* next) noexcept {
  if (data.empty()) return before;  // perhaps at no address at all
#if defined(__x86_64__)
  if (has_crc32c_instruction()) {
    const bool is_long = next == nullptr || data.size() > 2 * ahead;
    return ~by_instruction(data.data(), data.size(), is_long ? data.data() + ahead : next, ~before);
  }
#endif
  (void)next;
  return crc32c_by_table(data, before);
}

std::uint32_t crc32c_power(std::uint64_t bytes) noexcept { return power(bytes); }

std::uint32_t crc32c_times(std::uint32_t a, std::uint32_t b) noexcept { return times(a, b); }

std::uint32_t crc32c_of_zeros(std::uint64_t bytes) noexcept {
  return ~times(power(bytes), ~std::uint32_t{0});
}

}  // namespace lagoon::atoll::detail
