// What ChemIO's callers hand over: positions in doubles, memory as an address, room for text.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "compat/files/codes.hpp"
#include "compat/fortran.hpp"
#include "ga/typesf2c.h"

namespace lagoon::atoll::files {

/// Failure(bad_offset) unless it is a whole number from 0 on that a double holds exactly.
inline std::int64_t whole(const char* name, double value) {
  constexpr double most = 9007199254740992.0;  // 2^53
  if (value >= 0 && value <= most && std::floor(value) == value)
    return static_cast<std::int64_t>(value);
  throw Failure(bad_offset, std::string(name) + " is " + std::to_string(value));
}

/// Failure(bad_offset) for more bytes than there can be, as a negative number turns into.
inline void check_bytes(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 2)
    throw Failure(bad_offset, "bytes is " + std::to_string(static_cast<std::ptrdiff_t>(bytes)));
}

inline std::span<std::byte> memory(void* address, std::size_t bytes) {
  check_bytes(bytes);
  return {static_cast<std::byte*>(address), bytes};
}
inline std::span<const std::byte> memory(const void* address, std::size_t bytes) {
  check_bytes(bytes);
  return {static_cast<const std::byte*>(address), bytes};
}

inline constexpr std::size_t message_room = 80;  ///< of a C caller, its end included

/// Copies as much as there is room for, and an end.
inline void give_text(std::string_view text, char* room, std::size_t size) {
  const std::size_t length = std::min(text.size(), size - 1);
  text.copy(room, length);
  room[length] = '\0';
}

/// The same for Fortran, with blanks behind.
inline void give_fortran_text(std::string_view text, char* room, compat::TextLength size) {
  const auto all = static_cast<std::size_t>(size);
  const std::size_t length = text.copy(room, all);
  std::fill(room + length, room + all, ' ');
}

/// A descriptor, mode or request of Fortran's; what no int holds becomes one that never is.
inline int small(std::int64_t value) {
  using Limits = std::numeric_limits<int>;
  return value < Limits::min() || value > Limits::max() ? Limits::min() : static_cast<int>(value);
}

}  // namespace lagoon::atoll::files
