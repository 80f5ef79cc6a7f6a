#include "compat/ga/mirrored.hpp"

#include "atoll/algebra.hpp"
#include "atoll/mirror.hpp"

namespace lagoon::atoll::ga {

void merge_mirrored(GlobalArray& array) {
  if (array.mirrored()) merge(array.array());
}

void merge_into_patch(const GlobalArray& source, const Patch& source_patch, GlobalArray& target,
                      const Patch& target_patch) {
  if (source.mirrored())
    merge_into(source.array(), source_patch, target.array(), target_patch);
  else
    copy(source.array(), source_patch, target.array(), target_patch);
}

}  // namespace lagoon::atoll::ga
