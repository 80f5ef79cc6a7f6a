// Footprints: combs are compared tooth by tooth, the widest spacing first.
#include "transport/footprint.hpp"

#include <algorithm>

namespace lagoon::atoll::detail {

namespace {

/// A footprint as combs within combs: strides positive, the greatest first. The order in which an
/// operation walks over its bytes does not matter here.
struct Comb {
  std::int64_t first;
  std::size_t levels = 0;
  std::array<Runs::Level, max_dimensions> level;
  std::array<std::int64_t, max_dimensions + 1> span;  // of all from this level inwards

  explicit Comb(const Footprint& from) : first(from.offset + from.runs.lowest()) {
    for (std::size_t l = 0; l < static_cast<std::size_t>(from.runs.levels); ++l) {
      const auto [count, stride] = from.runs.level[l];
      if (stride != 0) level[levels++] = {count, stride < 0 ? -stride : stride};
    }
    std::sort(level.begin(), level.begin() + static_cast<std::ptrdiff_t>(levels),
              [](const auto& a, const auto& b) { return a.stride > b.stride; });
    span[levels] = from.runs.run_bytes;
    for (std::size_t l = levels; l-- > 0;)
      span[l] = span[l + 1] + (level[l].count - 1) * level[l].stride;
  }
};

std::int64_t floor_of(std::int64_t a, std::int64_t b) noexcept {
  return a >= 0 ? a / b : -((-a - 1) / b) - 1;
}

/// Whether `a` from its level `la` inwards and `b` from `lb`, which begins `distance` bytes later,
/// share a byte. After `looks` it is too long to tell.
bool meet(const Comb& a, std::size_t la, const Comb& b, std::size_t lb, std::int64_t distance,
          int& looks) noexcept {
  if (distance >= a.span[la] || -distance >= b.span[lb]) return false;
  if (la == a.levels && lb == b.levels) return true;
  const std::int64_t stride =
      std::max(la < a.levels ? a.level[la].stride : 0, lb < b.levels ? b.level[lb].stride : 0);
  // Whatever has smaller strides counts as a single tooth.
  const bool comb_a = la < a.levels && a.level[la].stride == stride;
  const bool comb_b = lb < b.levels && b.level[lb].stride == stride;
  const std::int64_t teeth_a = comb_a ? a.level[la].count : 1;
  const std::int64_t teeth_b = comb_b ? b.level[lb].count : 1;
  la += comb_a ? 1 : 0;
  lb += comb_b ? 1 : 0;
  // Only pairs of teeth that are near each other: by how many teeth that of b is further on.
  const std::int64_t least = floor_of(-b.span[lb] - distance, stride) + 1;
  const std::int64_t most = floor_of(a.span[la] - distance - 1, stride);
  for (std::int64_t k = std::max(least, 1 - teeth_a); k <= std::min(most, teeth_b - 1); ++k) {
    --looks;
    if (looks < 0 || meet(a, la, b, lb, distance + k * stride, looks)) return true;
  }
  return false;
}

}  // namespace

bool Footprint::overlaps(const Footprint& other) const noexcept {
  if (owner != other.owner || segment != other.segment) return false;
  const Comb mine(*this), theirs(other);
  int looks = 64;
  return meet(mine, 0, theirs, 0, theirs.first - mine.first, looks);
}

}  // namespace lagoon::atoll::detail
