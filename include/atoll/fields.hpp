// Fields: some bytes of every element, such as the real parts of complex numbers, moved without the
// others. One-sided, not collective, as get and put are.
#pragma once

#include <cstdint>

#include "atoll/array.hpp"

namespace lagoon::atoll {

/// `bytes` ones, from the `offset`-th of an element on.
struct Field {
  std::int64_t offset, bytes;
};

/// The field of each element of the patch; buffers hold these only, and strides count them.
/// Error(value) for a field that is not inside an element, Error(index) for a patch outside,
/// Error(unsupported) for an array of `max_dimensions`.
[[nodiscard]] Handle get_field_async(const AnyArray& a, const Patch& patch, const Field& field,
                                     void* out, const Index& strides = {});
/// The other bytes of the elements stay untouched, also while others write them. Error(state) for a
/// read-only array.
[[nodiscard]] Handle put_field_async(AnyArray& a, const Patch& patch, const Field& field,
                                     const void* data, const Index& strides = {});

}  // namespace lagoon::atoll
