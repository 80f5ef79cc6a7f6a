// What a program says about how an array is to be cut, written once for both languages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/ga/creation.hpp"

namespace lagoon::atoll::ga {

/// First indices of blocks per dimension, Atoll's, from their numbers and a list of the first
/// indices of one dimension after the other, both in the language's order. Equal neighbours make an
/// empty block.
template <Language language, class I>
std::vector<std::vector<std::int64_t>> starts_of(const Plan& plan, const I* blocks, const I* map) {
  check_shaped(plan);
  const int n = plan.shape.size();
  std::vector<std::vector<std::int64_t>> starts(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    if (blocks[i] < 1)
      throw Error(ErrorKind::value, "nblock[" + std::to_string(i) + "] is " +
                                        std::to_string(blocks[i]) + "; expected 1 or more");
    for (I b = 0; b < blocks[i]; ++b)
      starts[static_cast<std::size_t>(place<language>(i, n))].push_back(*map++ - first<language>);
  }
  return starts;
}

template <Language language, class I>
void set_irregular(Plan& plan, const I* blocks, const I* map) {
  plan.starts = starts_of<language>(plan, blocks, map);
  plan.cut = Cut::irregular;
}

/// Without boundaries an array is cut as the library likes.
inline void set_irregular_flag(Plan& plan, bool irregular) {
  if (irregular || plan.cut != Cut::irregular) return;
  plan.cut = Cut::blocked;
  plan.starts.clear();
}

template <Language language, class I>
void set_blocks(Plan& plan, Cut cut, const I* block, const I* process_grid) {
  check_shaped(plan);
  plan.cut = cut;
  plan.block = extents<language>(block, plan.shape.size());
  if (process_grid != nullptr)
    plan.process_grid = extents<language>(process_grid, plan.shape.size());
}

template <Language language, class I>
void set_tiled_irregular(Plan& plan, const I* map, const I* blocks, const I* process_grid) {
  plan.starts = starts_of<language>(plan, blocks, map);
  plan.cut = Cut::tiled_irregular;
  plan.process_grid = extents<language>(process_grid, plan.shape.size());
}

template <Language language, class I>
void set_ghosts(Plan& plan, const I* widths) {
  check_shaped(plan);
  plan.ghosts = extents<language>(widths, plan.shape.size());
}

/// Only these processes are to own data; the first gets the first block.
template <class I>
void set_restricted(Plan& plan, const I* list, std::int64_t count) {
  plan.restricted.assign(list, list + count);
}

/// Those from `low` to `high`, both included.
inline void set_restricted_range(Plan& plan, std::int64_t low, std::int64_t high) {
  plan.restricted.clear();
  for (std::int64_t process = low; process <= high; ++process)
    plan.restricted.push_back(static_cast<int>(process));
}

}  // namespace lagoon::atoll::ga
