// Whether the environment asks for the race detector: ATOLL_CHECK=race, which Config reads.
#pragma once

#include "atoll/namespace.hpp"

namespace lagoon::atoll::detail::race {

inline bool wanted = false;  // NOLINT: set while a World starts

}  // namespace lagoon::atoll::detail::race
