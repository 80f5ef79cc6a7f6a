// What callers ask of files: checks, and the words of the system for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "atoll/error.hpp"
#include "atoll/private_file.hpp"
#include "disk/open_file.hpp"

namespace lagoon::atoll::detail {

inline OpenMode mode_of(FileOpening opening) noexcept {
  return {.writes = opening != FileOpening::read_only,
          .creates = opening == FileOpening::create || opening == FileOpening::open_or_create,
          .exclusive = opening == FileOpening::create};
}

/// Error(value) unless [offset, offset + bytes) is within what files can hold.
inline void check_file_range(std::string_view operation, std::int64_t offset, std::size_t bytes) {
  if (offset < 0)
    throw Error(ErrorKind::value, "offset is " + std::to_string(offset) + ", expected 0 or more")
        .during(operation);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (bytes > most - static_cast<std::uint64_t>(offset))
    throw Error(ErrorKind::value, std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                      " reach beyond 2^63")
        .during(operation);
}

}  // namespace lagoon::atoll::detail
