// Periodic access: get, put and accumulate on patches of an array that repeats without end in all
// dimensions. `lo` may be negative and `hi` beyond the extent, by several turns too; position i
// means position i modulo the extent.
//
// One-sided, not collective, and otherwise like the members of AnyArray of these names. Where a
// patch covers an element more than once, a put leaves the value of its highest position (the last
// in row-major order), and an accumulate adds all of them. Error(index) for a patch whose lo is
// above its hi, that lies further out than 2^61, or that is not empty though the array is.
#pragma once

#include "atoll/array.hpp"

namespace lagoon::atoll {

void get_periodic(const AnyArray& array, const Patch& patch, void* out, const Index& strides = {});
void put_periodic(AnyArray& array, const Patch& patch, const void* data, const Index& strides = {});
/// `alpha` points to one element of the array's type; null means one.
void accumulate_periodic(AnyArray& array, const Patch& patch, const void* data,
                         const void* alpha = nullptr, const Index& strides = {});

template <Element T>
void get_periodic(const Array<T>& array, const Patch& patch, T* out, const Index& strides = {}) {
  get_periodic(static_cast<const AnyArray&>(array), patch, static_cast<void*>(out), strides);
}
template <Element T>
void put_periodic(Array<T>& array, const Patch& patch, const T* data, const Index& strides = {}) {
  put_periodic(static_cast<AnyArray&>(array), patch, static_cast<const void*>(data), strides);
}
template <Element T>
void accumulate_periodic(Array<T>& array, const Patch& patch, const T* data, T alpha = T(1),
                         const Index& strides = {}) {
  accumulate_periodic(static_cast<AnyArray&>(array), patch, static_cast<const void*>(data),
                      static_cast<const void*>(&alpha), strides);
}

}  // namespace lagoon::atoll
