#include "compat/ga/mirrored.hpp"

#include "atoll/algebra.hpp"
#include "atoll/mirror.hpp"

namespace lagoon::atoll::ga {

void merge_mirrored(GlobalArray& array) {
  (void)Runtime::get().take_mask();
  if (array.mirrored()) merge(array.array());
}

void merge_into_patch(const GlobalArray& source, const Patch& source_patch, GlobalArray& target,
                      const Patch& target_patch) {
  (void)Runtime::get().take_mask();
  if (source.mirrored())
    merge_into(source.array(), source_patch, target.array(), target_patch);
  else
    copy(source.array(), source_patch, target.array(), target_patch);
}

}  // namespace lagoon::atoll::ga
