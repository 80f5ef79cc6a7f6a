// Merging mirrored arrays, whose nodes have a copy each. On one node they are ordinary arrays, and
// there is nothing to merge (trap 14).
#pragma once

#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// Error(value) unless it was created on the mirrored group, also on one node.
void check_on_mirrored_group(const GlobalArray& array);

/// Collective over the world: every copy becomes the sum of all.
void merge_mirrored(GlobalArray& array);

/// Collective over the world: the patch of `target`, a distributed array, becomes the sum of the
/// copies' patch of `source`.
void merge_into_patch(const GlobalArray& source, const Patch& source_patch, GlobalArray& target,
                      const Patch& target_patch);

template <Language language, class I>
void merge_patch(std::int64_t g_a, const I* alo, const I* ahi, std::int64_t g_b, const I* blo,
                 const I* bhi) {
  GlobalArray& source = array_of(g_a);
  GlobalArray& target = array_of(g_b);
  merge_into_patch(source, patch<language>(alo, ahi, source.dimensions()), target,
                   patch<language>(blo, bhi, target.dimensions()));
}

}  // namespace lagoon::atoll::ga
