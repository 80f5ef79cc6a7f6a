#include "compat/ga/direct.hpp"

#include <string>

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

std::int64_t fortran_index(const GlobalArray& a, const void* address) {
  const int code = code_for_fortran(a.plan.type);
  if (code < 0)
    throw Error(ErrorKind::type,
                "Fortran has no type for elements of type " + std::to_string(a.plan.type));
  const auto bytes = static_cast<std::int64_t>(a.type().bytes);
  const char* const base =
      a.opaque() && bytes > 1 ? ma::datatype(MT_F_BYTE).base : ma::datatype(code).base;
  const std::int64_t distance = static_cast<const char*>(address) - base;
  const std::int64_t unit = a.opaque() ? 1 : bytes;
  if (distance % unit != 0)
    throw Error(ErrorKind::value, "elements of " + std::to_string(bytes) + " bytes lie " +
                                      std::to_string(distance) +
                                      " bytes from MA's base: no index reaches them");
  return distance / unit + 1;
}

}  // namespace lagoon::atoll::ga
