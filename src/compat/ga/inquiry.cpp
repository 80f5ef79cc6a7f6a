#include "compat/ga/inquiry.hpp"

namespace lagoon::atoll::ga {

namespace {

bool inside(const GlobalArray& a, const Index& position) {
  for (int d = 0; d < a.dimensions(); ++d)
    if (position[d] < 0 || position[d] >= a.shape()[d]) return false;
  return true;
}

}  // namespace

Patch held(const GlobalArray& a, std::int64_t process) {
  return counts_blocks(a) ? block_patch(a, process) : a.owned(static_cast<int>(process));
}

int locate(const GlobalArray& a, const Index& position) {
  if (!inside(a, position)) return -1;
  if (counts_blocks(a)) return static_cast<int>(block_number(a, position));
  return a.process_of(a.array().owner(a.stored_position(position)));
}

std::vector<Holding> locate_region(const GlobalArray& a, const Patch& patch) {
  if (patch.empty() || intersection(whole(a.shape()), patch) != patch) return {};
  std::vector<Holding> holdings;
  for (const OwnedPatch& owned : a.array().locate(a.stored(patch))) {
    const Patch part{a.without_bytes(owned.patch.lo), a.without_bytes(owned.patch.hi)};
    const int holder =
        counts_blocks(a) ? static_cast<int>(block_number(a, part.lo)) : a.process_of(owned.rank);
    holdings.push_back({holder, part});
  }
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
  if (a.array().patches(a.rank_of(process)).empty()) return Index::filled(a.dimensions(), -1);
  return process_place(a, process);
}

}  // namespace lagoon::atoll::ga
