#include "compat/ga/inquiry.hpp"

#include <span>

namespace lagoon::atoll::ga {

namespace {

bool inside(const GlobalArray& a, const Index& position) {
  for (int d = 0; d < a.dimensions(); ++d)
    if (position[d] < 0 || position[d] >= a.shape()[d]) return false;
  return true;
}

Patch without_bytes(Patch patch, int dimensions) {
  const auto n = static_cast<std::size_t>(dimensions);
  return {Index(std::span<const std::int64_t>(patch.lo.begin(), n)),
          Index(std::span<const std::int64_t>(patch.hi.begin(), n))};
}

}  // namespace

int locate(const GlobalArray& a, const Index& position) {
  if (!inside(a, position)) return -1;
  return a.process_of(a.array().owner(a.stored_position(position)));
}

std::vector<Holding> locate_region(const GlobalArray& a, const Patch& patch) {
  if (patch.empty() || intersection(whole(a.shape()), patch) != patch) return {};
  std::vector<Holding> holdings;
  for (const OwnedPatch& owned : a.array().locate(a.stored(patch)))
    holdings.push_back({a.process_of(owned.rank), without_bytes(owned.patch, a.dimensions())});
  return holdings;
}

int compare_distributions(const GlobalArray& a, const GlobalArray& b) {
  if (a.shape() != b.shape() || a.opaque() != b.opaque()) return 1;
  if (a.array().distribution() != b.array().distribution()) return 1;
  const Group& group_a = a.array().group();
  const Group& group_b = b.array().group();
  if (group_a.size() != group_b.size()) return 1;
  for (int r = 0; r < group_a.size(); ++r)
    if (group_a.world_rank(r) != group_b.world_rank(r)) return 1;
  return 0;
}

Index grid_position(const GlobalArray& a, int process) {
  const int n = a.dimensions();
  const Index& grid = a.array().distribution().grid();
  if (a.array().patches(a.rank_of(process)).empty()) return Index::filled(n, -1);
  Index result = Index::filled(n, 0);
  std::int64_t rest = a.rank_of(process);
  for (int d = n - 1; d >= 0; --d) {
    result[d] = rest % grid[d];
    rest /= grid[d];
  }
  return result;
}

}  // namespace lagoon::atoll::ga
