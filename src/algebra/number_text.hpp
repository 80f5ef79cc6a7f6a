// Numbers as text, all of a printed array alike: NumPy's way of choosing digits and widths.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

/// One text per number, all equally wide. Real numbers show what tells them apart, but at most
/// eight decimals; very large, very small and very mixed ones use exponents.
template <Element T>
std::vector<std::string> texts_of(std::span<const T> numbers);

}  // namespace lagoon::atoll::detail
