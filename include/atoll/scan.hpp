// Vectors in order: prefix sums, packing and unpacking, numbering. Collective, with the
// synchronisation of all algebra (algebra.hpp). Vectors have one dimension and any distribution;
// patches have step one. Error(value) for other dimensions and extents, Error(type) for types that
// do not fit, Error(index) for a patch outside.
#pragma once

#include <cstdint>

#include "atoll/algebra.hpp"
#include "atoll/array.hpp"

namespace lagoon::atoll {

/// a[lo + i] = start + i step, for the elements of the patch.
void enumerate(AnyArray& a, const Patch& patch, const Scalar& start, const Scalar& step);

/// Segments of a patch: one begins at its first element, and one wherever the mask, an integer
/// vector, is not zero.
enum class Scan : bool { inclusive, exclusive };
/// target[i] = the sum of source from the begin of i's segment up to i, or to before i. One shape
/// and type; integers wrap, float32 and complex64 are summed in double. May be one array.
void scan_add(const AnyArray& source, const AnyArray& mask, AnyArray& target, const Patch& patch,
              Scan kind = Scan::inclusive);
/// The same with the patch as the only segment.
void scan_add(const AnyArray& source, AnyArray& target, const Patch& patch,
              Scan kind = Scan::inclusive);
/// target[i] = source where i's segment begins.
void scan_copy(const AnyArray& source, const AnyArray& mask, AnyArray& target, const Patch& patch);

/// Elements of the patch of source where the mask is not zero go, in order, to the first ones of
/// target, which has room for them (else Error(value)). How many they are, on every rank.
std::int64_t pack(const AnyArray& source, const AnyArray& mask, AnyArray& target,
                  const Patch& patch);
/// The other way: the first elements of source go, in order, to where the mask is not zero.
std::int64_t unpack(const AnyArray& source, const AnyArray& mask, AnyArray& target,
                    const Patch& patch);

}  // namespace lagoon::atoll
