// Elements as text, all of a type equally wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lagoon::atoll::ga {

class GlobalArray;

/// "double precision"; as Fortran calls it where it has the type.
std::string_view type_name(int type);

struct ElementText {
  /// Error(type) for registered types, which nobody knows how to read.
  explicit ElementText(const GlobalArray& a);

  /// Right-aligned in `width` characters, longer where it must be; a blank comes first.
  std::string aligned(const std::byte* element) const;
  /// As short as it goes.
  std::string plain(const std::byte* element) const;

  int type;
  std::size_t bytes;
  int width;
};

}  // namespace lagoon::atoll::ga
