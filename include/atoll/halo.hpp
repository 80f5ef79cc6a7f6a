// Halo: copies of what lies next to each rank's block, kept around the block in its own memory (the
// "ghost cells" of Global Arrays). A stencil then reads its block and the neighbours' edges as one
// strided piece of memory. docs/halo.md explains and has an example.
//
// An array has a halo when its layout asks for one: Layout::blocked().with_halo({1, 1}). Only the
// functions here touch it. It holds zeros at first (undefined with `zero = false`), and then what
// the last update brought; writes to the array show in it after the next update only.
#pragma once

#include <vector>

#include "atoll/array.hpp"

namespace lagoon::atoll {

struct HaloOptions {
  /// Per dimension, whether the array goes on at its other end; one entry: for all; empty: nowhere.
  /// Halo beyond the edge of a dimension that does not is left as it is.
  std::vector<bool> periodic{};
  /// False: only what lies beside a face of the block, not what lies diagonally.
  bool corners = true;
  /// Which parts of the halo: directions from the block with entries -1, 0 and 1, as {-1, 0} for
  /// the lower side of the first of two dimensions. Empty: all (that `corners` allows).
  std::vector<Index> directions{};
};

/// Brings the halo of every member up to date. Collective: what any member wrote before is seen,
/// and nobody returns before all have read. Error(value) on all members for bad options.
void update_halo(AnyArray& array, const HaloOptions& options = {});

/// Starts an update. Collective up to here, and sees what was written before; `wait` completes it
/// for the caller only. Until then the caller leaves the chosen halo alone; until all members have
/// waited and met (the next collective call on the array, or a sync) nobody may write elements
/// that a neighbour still reads.
[[nodiscard]] Handle update_halo_begin(AnyArray& array, const HaloOptions& options = {});

/// My block and its halo as memory: the patch says which positions it stands for, and reaches
/// beyond the array at its edges. Empty when I own nothing; the block alone without a halo.
/// Error(value) for a layout that can have no halo, and for a rank on another node.
LocalBlock local_with_halo(const AnyArray& array);
LocalBlock block_with_halo(const AnyArray& array, int rank);

template <Element T>
TypedBlock<T> local_with_halo(const Array<T>& array) {
  const LocalBlock block = local_with_halo(static_cast<const AnyArray&>(array));
  return {block.patch, static_cast<T*>(block.data), block.strides};
}
template <Element T>
TypedBlock<T> block_with_halo(const Array<T>& array, int rank) {
  const LocalBlock block = block_with_halo(static_cast<const AnyArray&>(array), rank);
  return {block.patch, static_cast<T*>(block.data), block.strides};
}

}  // namespace lagoon::atoll
