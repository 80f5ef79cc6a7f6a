// Norms of blocks, for use inside a collective call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/matmul.hpp"

namespace lagoon::atoll::detail {

/// As block_norms, with its arguments checked. Collective over the array's group.
std::vector<double> norms_of_blocks(const View& a, std::span<const std::int64_t> row_cuts,
                                    std::span<const std::int64_t> column_cuts);

}  // namespace lagoon::atoll::detail
