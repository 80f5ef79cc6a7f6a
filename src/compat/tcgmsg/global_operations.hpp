// Global operations: element-wise over all ranks, in place.
#pragma once

#include <cstdint>
#include <string_view>

#include "atoll/world.hpp"

namespace lagoon::atoll::tcgmsg {

/// Collective. `operation` begins with + * max min absmax absmin; for integers also with the
/// bitwise or, |, and, &, and with the logical ||, &&. Error(value) for others.
void combine(const World& world, double* data, long elements, std::string_view operation);
void combine(const World& world, std::int32_t* data, long elements, std::string_view operation);
void combine(const World& world, std::int64_t* data, long elements, std::string_view operation);

}  // namespace lagoon::atoll::tcgmsg
