// What Fortran's calling convention asks for: arguments by reference, text with its length behind
// all other arguments and blanks behind its words.
#pragma once

#include <cstddef>
#include <string_view>

namespace lagoon::atoll::compat {

/// Compilers pass 8 bytes or 4, in a register: the low 4 are right for both.
using TextLength = int;

/// Without the blanks at its end; of the caller's memory.
inline std::string_view text_of(const char* text, TextLength length) {
  const std::string_view all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_last_not_of(' ') + 1);
}

}  // namespace lagoon::atoll::compat
