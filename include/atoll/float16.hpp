// Float16: numbers of IEEE 754's binary16, to be stored. Arithmetic on them is that of float, of
// which each result is rounded.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

class Float16 {
 public:
  Float16() = default;
  /// The nearest number, the even one of two as near; beyond 65504 infinity.
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  explicit constexpr Float16(T value) : bits_(rounded(value)) {}
  static constexpr Float16 of_bits(std::uint16_t bits) noexcept {
    Float16 number{};
    number.bits_ = bits;
    return number;
  }
  constexpr std::uint16_t bits() const noexcept { return bits_; }
  constexpr operator float() const noexcept {
    const std::uint32_t magnitude = bits_ & 0x7fffU;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits_ & 0x8000U) << 16;
    std::uint32_t found = 0;
    if (magnitude >= 0x7c00)  // infinity, NaN
      found = 0x7f800000U | (magnitude & 0x3ffU) << 13;
    else if (magnitude >= 0x400)
      found = (magnitude << 13) + 0x38000000U;
    else
      found = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F);
    return std::bit_cast<float>(sign | found);
  }

 private:
  static constexpr std::uint16_t rounded(float value) noexcept {
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = all >> 16 & 0x8000U, magnitude = all & 0x7fffffffU;
    std::uint32_t found = 0;
    if (magnitude > 0x7f800000U)
      found = 0x7c00U | (magnitude >> 13 & 0x3ffU) | ((magnitude >> 13 & 0x3ffU) == 0 ? 1U : 0U);
    else if (magnitude >= 0x477ff000U)
      found = 0x7c00U;
    else if (magnitude < 0x38800000U)  // one half has the last place of the smallest numbers
      found = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
    else
      found = (magnitude + 0xfffU + (magnitude >> 13 & 1U) - 0x38000000U) >> 13;
    return static_cast<std::uint16_t>(sign | found);
  }
  /// By way of the float that is cut towards zero, its last bit set where anything was lost: then
  /// the second rounding is that of the number itself.
  template <std::floating_point T>
    requires(sizeof(T) > sizeof(float))
  static constexpr std::uint16_t rounded(T value) noexcept {
    const auto near = static_cast<float>(value);
    const auto back = static_cast<T>(near);
    if (back == value || value != value || near - near != 0) return rounded(near);
    auto bits = std::bit_cast<std::uint32_t>(near);
    const bool away = value > 0 ? back > value : back < value;
    bits = (away ? bits - 1 : bits) | 1U;
    return rounded(std::bit_cast<float>(bits));
  }
  template <std::integral T>
  static constexpr std::uint16_t rounded(T value) noexcept {
    return rounded(static_cast<float>(value));
  }

  std::uint16_t bits_;
};
static_assert(sizeof(Float16) == 2);

}  // namespace lagoon::atoll
