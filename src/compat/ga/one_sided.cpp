#include "compat/ga/one_sided.hpp"

namespace lagoon::atoll::ga {

std::vector<std::int64_t> stored_positions(const GlobalArray& a,
                                           std::vector<std::int64_t> positions) {
  if (!a.opaque()) return positions;
  const int n = a.dimensions();
  const auto bytes = static_cast<std::int64_t>(a.type().bytes);
  std::vector<std::int64_t> result;
  result.reserve(positions.size() / static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) *
                 static_cast<std::size_t>(bytes));
  for (auto element = positions.begin(); element != positions.end(); element += n)
    for (std::int64_t b = 0; b < bytes; ++b) {
      result.insert(result.end(), element, element + n);
      result.push_back(b);
    }
  return result;
}

}  // namespace lagoon::atoll::ga
