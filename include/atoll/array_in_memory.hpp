// Arrays in memory that is there already, that of another array or a Memory. All of them see the
// same bytes, and the memory goes with the last of them.
#pragma once

#include "atoll/array.hpp"
#include "atoll/memory.hpp"

namespace lagoon::atoll {

/// Collective over the group that the memory was made on, which becomes the array's. Contents are
/// kept. Throws on all members alike: Error(value) where the block of one is too small,
/// Error(unsupported) where the one or the other is mirrored, Error(state) for a read-only array,
/// whose nodes would keep stale copies.
AnyArray array_in(const AnyArray& memory, const Index& shape, ElementType type,
                  const ArrayOptions& options);
AnyArray array_in(const Memory& memory, const Index& shape, ElementType type,
                  const ArrayOptions& options);

}  // namespace lagoon::atoll
