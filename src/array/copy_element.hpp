// Copies of one element, of the usual sizes without a call.
#pragma once

#include <cstddef>
#include <cstring>

namespace lagoon::atoll::detail {

inline void copy_element(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  switch (bytes) {
    case 4: std::memcpy(target, source, 4); break;
    case 8: std::memcpy(target, source, 8); break;
    case 16: std::memcpy(target, source, 16); break;
    default: std::memcpy(target, source, bytes); break;
  }
}

}  // namespace lagoon::atoll::detail
