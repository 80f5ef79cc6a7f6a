// C names: text for Fortran.
#include <algorithm>
#include <string_view>

#include "ga/farg.h"

extern "C" {

void ga_c2fstring(const char* cstring, char* fstring, int flength) {
  std::string_view text = cstring == nullptr ? "" : cstring;
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto room = static_cast<std::size_t>(std::max(flength, 0));
  text = text.substr(0, room);
  std::fill(std::ranges::copy(text, fstring).out, fstring + room, ' ');
}

void ga_f2cstring(const char* fstring, int flength, char* cstring, int clength) {
  if (clength < 1) return;
  std::string_view text(fstring, static_cast<std::size_t>(std::max(flength, 0)));
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  *std::ranges::copy(text.substr(0, static_cast<std::size_t>(clength) - 1), cstring).out = '\0';
}

}  // extern "C"
