// Numbers as text, all of a printed array alike: NumPy's way of choosing digits and widths.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

/// One text per element, all equally wide. Real numbers show what tells them apart, but at most
/// eight decimals; very large, very small and very mixed ones use exponents.
std::vector<std::string> texts_of(ElementType type, const void* elements, std::size_t count);

}  // namespace lagoon::atoll::detail
