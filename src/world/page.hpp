// The page: what memory is given out and taken back by, and where its copies meet (copy_bytes.hpp).
#pragma once

#include <cstddef>

namespace lagoon::atoll::detail {

/// Bytes; of larger pages a multiple of these.
inline constexpr std::size_t page = 4096;

}  // namespace lagoon::atoll::detail
