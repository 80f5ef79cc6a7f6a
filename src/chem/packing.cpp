#include "packing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

static_assert(std::endian::native == std::endian::little, "packed values begin with the low byte");

namespace {

// Added to a number below 2^51 it leaves that, rounded to an integer, in the low bits. Compilers
// make vectors of this, not of conversions between 64-bit integers and doubles (before AVX-512).
constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52

template <int Width>
[[gnu::always_inline]] inline void pack_as(const double* values, std::ptrdiff_t count, double scale,
                                           std::byte* out) {
  const auto zero = std::bit_cast<std::int64_t>(rounder);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto whole = std::bit_cast<std::int64_t>(values[i] * scale + rounder) - zero;
    std::memcpy(out + i * Width, &whole, sizeof whole);  // the next value overwrites the surplus
  }
}

template <int Width>
[[gnu::always_inline]] inline void unpack_as(const std::byte* in, std::ptrdiff_t count,
                                             double quantum, double* out) {
  constexpr int surplus = 64 - 8 * Width;
  const auto zero = std::bit_cast<std::int64_t>(rounder);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    std::int64_t word;
    std::memcpy(&word, in + i * Width, sizeof word);
    const std::int64_t whole =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(word) << surplus) >> surplus;
    out[i] = (std::bit_cast<double>(whole + zero) - rounder) * quantum;
  }
}

/// Converts from integers that the processor knows.
template <class Integer>
[[gnu::always_inline]] inline void unpack_integers(const std::byte* in, std::ptrdiff_t count,
                                                   double quantum, double* out) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    Integer whole;
    std::memcpy(&whole, in + i * static_cast<std::ptrdiff_t>(sizeof whole), sizeof whole);
    out[i] = static_cast<double>(whole) * quantum;
  }
}

ATOLL_EACH_PROCESSOR double largest_of(const double* values, std::ptrdiff_t count) {
  std::array<double, 8> parts{};
  std::ptrdiff_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const double value = std::abs(values[i + static_cast<std::ptrdiff_t>(lane)]);
      parts[lane] = parts[lane] > value ? parts[lane] : value;
    }
  for (; i < count; ++i) parts[0] = std::max(parts[0], std::abs(values[i]));
  return *std::max_element(parts.begin(), parts.end());
}

int width_for(double largest, double quantum) {
  const double whole = largest / quantum;
  if (whole <= 0.5) return 0;
  for (int width = 1; width <= 6; ++width)
    if (whole < std::ldexp(1.0, 8 * width - 1) - 1.0) return width;
  return 8;
}

ATOLL_EACH_PROCESSOR void pack_values(int width, const double* values, std::ptrdiff_t count,
                                      double scale, std::byte* out) {
  switch (width) {
    case 1: return pack_as<1>(values, count, scale, out);
    case 2: return pack_as<2>(values, count, scale, out);
    case 3: return pack_as<3>(values, count, scale, out);
    case 4: return pack_as<4>(values, count, scale, out);
    case 5: return pack_as<5>(values, count, scale, out);
    case 6: return pack_as<6>(values, count, scale, out);
    case 8: std::memcpy(out, values, static_cast<std::size_t>(count) * sizeof(double)); return;
    default: return;
  }
}

}  // namespace

double quantum_below(double tolerance) { return std::ldexp(1.0, std::ilogb(tolerance)); }

void pack(const double* values, std::ptrdiff_t count, double quantum, std::vector<std::byte>& out) {
  const int width = values == nullptr ? 0 : width_for(largest_of(values, count), quantum);
  const std::size_t begin = out.size() + 1, end = begin + static_cast<std::size_t>(width * count);
  out.resize(end + packing_slack);
  out[begin - 1] = static_cast<std::byte>(width);
  pack_values(width, values, count, 1.0 / quantum, out.data() + begin);
  out.resize(end);
}

ATOLL_EACH_PROCESSOR void unpack(int width, const std::byte* in, std::ptrdiff_t count,
                                 double quantum, double* out) {
  switch (width) {
    case 1: return unpack_integers<std::int8_t>(in, count, quantum, out);
    case 2: return unpack_integers<std::int16_t>(in, count, quantum, out);
    case 3: return unpack_as<3>(in, count, quantum, out);
    case 4: return unpack_integers<std::int32_t>(in, count, quantum, out);
    case 5: return unpack_as<5>(in, count, quantum, out);
    case 6: return unpack_as<6>(in, count, quantum, out);
    case 8: std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(double)); return;
    default: std::fill_n(out, count, 0.0);
  }
}

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t lanes = 4, word = sizeof(std::uint64_t);
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // odd: no bit is lost
  std::array<std::uint64_t, lanes> sums{1, 2, 3, 4};
  const std::size_t words = bytes.size() / word;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t next;
    std::memcpy(&next, bytes.data() + i * word, word);
    std::uint64_t& sum = sums[i % lanes];
    sum = (sum ^ next) * factor;
  }
  std::uint64_t all = bytes.size();
  for (std::uint64_t sum : sums) all = (std::rotl(all, 17) ^ sum) * factor;
  return all;
}

}  // namespace lagoon::atoll::chem
