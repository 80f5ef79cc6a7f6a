// Numbers in fixed point, in as few bytes as their groups need, with a bound on the error.
//
// A number is rounded to a multiple of a step; its sign goes into the lowest bit (0, -1, 1, -2,
// ...), so that small ones have high bytes of zero. A record is a byte for each group of 128
// numbers, how many bytes each of them takes (0 to 8), then the numbers, lowest byte first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lagoon::atoll::chem {

/// Empty if all numbers round to zero. REQUIRES: no number exceeds 2^61 steps.
std::vector<std::uint8_t> to_fixed_point(std::span<const double> numbers, double step);

/// Fills `numbers`. False if the record has another length than it should.
bool from_fixed_point(std::span<const std::uint8_t> record, double step, std::span<double> numbers);

}  // namespace lagoon::atoll::chem
