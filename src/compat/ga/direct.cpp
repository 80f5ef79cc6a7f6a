#include "compat/ga/direct.hpp"

#include <string>

#include "array/race_notes.hpp"
#include "atoll/error.hpp"
#include "compat/ma/datatypes.hpp"
#include "ga/macommon.h"

namespace lagoon::atoll::ga {

DirectMemory direct_memory(GlobalArray& a, const Patch& patch) {
  if (patch.dimensions() != a.dimensions() || patch.empty())
    throw Error(ErrorKind::value, "patch " + patch.to_string() + " has no elements to access");
  const Index first_element = a.stored_position(patch.lo);
  const LocalBlock block = a.block(a.process_of(a.array().owner(first_element)));
  if (!(intersection(block.patch, patch) == patch))
    throw Error(ErrorKind::value, "patch " + patch.to_string() + " is not all of one process's " +
                                      block.patch.to_string());
  std::int64_t offset = 0;
  for (int d = 0; d < patch.dimensions(); ++d)
    offset += (patch.lo[d] - block.patch.lo[d]) * block.strides[d];
  offset *= static_cast<std::int64_t>(a.type().bytes);
  return {static_cast<std::byte*>(block.data) + offset, block.strides};
}

int dimensions_of_released(std::int64_t g_a) noexcept {
  if (!detail::follows_races() || !Runtime::running()) return 0;
  const GlobalArray* const a = Runtime::get().arrays.find(static_cast<int>(g_a));
  return a != nullptr && a->allocated() ? a->dimensions() : 0;
}

void note_released(std::int64_t g_a, const Patch& patch, bool wrote) {
  const GlobalArray& a = *Runtime::get().arrays.find(static_cast<int>(g_a));
  for (int d = 0; d < a.dimensions(); ++d)
    if (patch.lo[d] < 0 || patch.lo[d] >= patch.hi[d] || patch.hi[d] > a.shape()[d]) return;
  detail::note_direct(*a.array().state(), a.stored(patch), wrote);
}

std::int64_t index_in_base(int type, const void* address) {
  const int code = code_for_fortran(type);
  if (code < 0)
    throw Error(ErrorKind::type,
                "Fortran has no type for elements of type " + std::to_string(type));
  const ma::Datatype& of = ma::datatype(code);
  const std::int64_t distance = static_cast<const char*>(address) - of.base;
  const auto bytes = static_cast<std::int64_t>(of.size);
  if (distance % bytes != 0)
    throw Error(ErrorKind::value, "elements of " + std::to_string(bytes) + " bytes lie " +
                                      std::to_string(distance) +
                                      " bytes from MA's base: no index reaches them");
  return distance / bytes + 1;
}

std::int64_t fortran_index(const GlobalArray& a, const void* address) {
  const bool bytes_only = a.opaque() && code_for_fortran(a.plan.type) >= 0;
  return index_in_base(bytes_only ? MT_F_BYTE : a.plan.type, address);
}

}  // namespace lagoon::atoll::ga
