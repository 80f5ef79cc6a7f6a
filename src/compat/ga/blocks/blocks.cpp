#include "compat/ga/blocks/blocks.hpp"

#include <algorithm>
#include <string>

#include "array/race_notes.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll::ga {

namespace {

bool has_starts(const GlobalArray& a) {
  return a.plan.cut == Cut::irregular || a.plan.cut == Cut::tiled_irregular;
}

const std::vector<std::int64_t>& starts(const GlobalArray& a, int d) {
  return a.plan.starts[static_cast<std::size_t>(d)];
}

Error bad_block(const GlobalArray& a, const std::string& block) {
  return Error(ErrorKind::value, "block " + block + " is none of the " + block_grid(a).to_string() +
                                     " blocks of array '" + a.plan.name + "'");
}

/// Of a number that is one.
Index place_of(const GlobalArray& a, std::int64_t number) {
  const Index grid = block_grid(a);
  Index at = grid;
  for (int d = grid.size() - 1; d >= 0; --d) {
    at[d] = number % grid[d];
    number /= grid[d];
  }
  return at;
}

bool is_block(const GlobalArray& a, std::int64_t number) {
  return number >= 0 && number < block_grid(a).product();
}

}  // namespace

bool counts_blocks(const GlobalArray& a) {
  return a.plan.cut != Cut::blocked && a.plan.cut != Cut::irregular;
}

Index block_grid(const GlobalArray& a) {
  Index grid = a.shape();
  for (int d = 0; d < a.dimensions(); ++d) {
    if (has_starts(a))
      grid[d] = std::ssize(starts(a, d));
    else if (counts_blocks(a))
      grid[d] = (a.shape()[d] - 1) / a.plan.block[d] + 1;
    else
      grid[d] = a.array().distribution().grid()[d];
  }
  return grid;
}

std::int64_t total_blocks(const GlobalArray& a) {
  return counts_blocks(a) ? block_grid(a).product() : -1;
}

Patch block_patch(const GlobalArray& a, std::int64_t number) {
  const Index nowhere = Index::filled(a.dimensions(), 0);
  if (!is_block(a, number)) return {nowhere, nowhere, {}};
  const Index at = place_of(a, number);
  Patch patch{at, at, {}};
  for (int d = 0; d < at.size(); ++d) {
    if (has_starts(a)) {
      const auto& cuts = starts(a, d);
      const auto b = static_cast<std::size_t>(at[d]);
      patch.lo[d] = cuts[b];
      patch.hi[d] = b + 1 < cuts.size() ? cuts[b + 1] : a.shape()[d];
    } else {
      patch.lo[d] = at[d] * a.plan.block[d];
      patch.hi[d] = std::min(patch.lo[d] + a.plan.block[d], a.shape()[d]);
    }
  }
  return patch;
}

std::int64_t block_number(const GlobalArray& a, const Index& position) {
  const Index grid = block_grid(a);
  std::int64_t number = 0;
  for (int d = 0; d < grid.size(); ++d) {
    std::int64_t at = 0;
    if (has_starts(a))
      at = std::ranges::upper_bound(starts(a, d), position[d]) - starts(a, d).begin() - 1;
    else
      at = position[d] / a.plan.block[d];
    number = number * grid[d] + at;
  }
  return number;
}

std::int64_t number_at(const GlobalArray& a, const Index& block) {
  const Index grid = block_grid(a);
  std::int64_t number = 0;
  for (int d = 0; d < grid.size(); ++d) {
    if (block[d] < 0 || block[d] >= grid[d]) throw bad_block(a, block.to_string());
    number = number * grid[d] + block[d];
  }
  return number;
}

DirectMemory block_memory(const GlobalArray& a, std::int64_t number) {
  if (!counts_blocks(a))
    throw Error(ErrorKind::value,
                "array '" + a.plan.name + "' has one block a process, and no block numbers");
  if (!is_block(a, number)) throw bad_block(a, std::to_string(number));
  const AnyArray& array = a.array();
  const detail::DirectIsTold told;
  // Where there is anything of a block, it lies in the memory of one rank.
  const std::vector<Piece> pieces = array.distribution().pieces(a.stored(block_patch(a, number)));
  if (pieces.empty()) return {nullptr, {}};
  const Piece& piece = pieces.front();
  const auto size = static_cast<std::int64_t>(a.opaque() ? 1 : a.type().bytes);
  return {static_cast<std::byte*>(array.storage(piece.rank)) + piece.offset * size,
          a.element_strides(piece.strides)};
}

MemorySegment memory_segment(const GlobalArray& a, int process) {
  const int rank = a.rank_of(process);
  const detail::DirectIsTold told;
  std::int64_t elements = a.array().distribution().memory_elements(rank);
  if (a.opaque()) elements /= static_cast<std::int64_t>(a.type().bytes);
  return {a.array().storage(rank), elements};
}

bool uses_process_grid(const GlobalArray& a) {
  return counts_blocks(a) && a.plan.cut != Cut::block_cyclic;
}

Index process_grid(const GlobalArray& a) {
  if (a.plan.cut == Cut::block_cyclic)
    throw Error(ErrorKind::value, "the blocks of array '" + a.plan.name +
                                      "' are dealt out by number: it has no grid of processes");
  return a.without_bytes(a.array().distribution().grid());
}

Index process_place(const GlobalArray& a, int process) {
  const Index grid = process_grid(a);
  Index at = grid;
  std::int64_t rest = a.rank_of(process);
  if (rest >= grid.product()) return Index::filled(grid.size(), -1);
  for (int d = grid.size() - 1; d >= 0; --d) {
    at[d] = rest % grid[d];
    rest /= grid[d];
  }
  return at;
}

}  // namespace lagoon::atoll::ga
