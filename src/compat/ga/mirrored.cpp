#include "compat/ga/mirrored.hpp"

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "atoll/mirror.hpp"
#include "compat/ga/mask.hpp"

namespace lagoon::atoll::ga {

void check_on_mirrored_group(const GlobalArray& array) {
  if (array.plan.group == mirror_handle) return;
  throw Error(ErrorKind::value,
              "array '" + array.plan.name + "' is of group " + std::to_string(array.plan.group) +
                  "; expected the mirrored one, " + std::to_string(mirror_handle));
}

void merge_mirrored(GlobalArray& array) {
  drop_mask();
  if (array.mirrored()) merge(array.array());
}

void merge_into_patch(const GlobalArray& source, const Patch& source_patch, GlobalArray& target,
                      const Patch& target_patch) {
  if (source.mirrored())
    merge_into(source.array(), source_patch, target.array(), target_patch);
  else
    copy({source.array(), source_patch}, {target.array(), target_patch});
}

}  // namespace lagoon::atoll::ga
