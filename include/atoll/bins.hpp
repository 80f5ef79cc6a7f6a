// Sorting integers into numbered bins, as sparse structures are made. Collective, with the
// synchronisation of all algebra (algebra.hpp). Three vectors of integers describe bins: of bin b
// there are counts[b] elements, those from contents[offsets[b]] on. Error(value) for other
// dimensions and extents, Error(type) for other types, Error(unsupported) for mirrored arrays.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/array.hpp"

namespace lagoon::atoll {

/// Puts every member's values into bins: values[i] into bin bins[i], counted from 0. Each member
/// brings its own, as many as it likes. Writes all of counts and offsets, where the bins follow
/// each other from 0 without gaps, and the first elements of contents. Inside a bin the order is
/// ascending where `sorted`, else by chance. How many elements there are, on every rank.
/// Nothing is written on Error(index) for a bin outside counts, and Error(value) where contents has
/// no room, values and bins are not equally many, or a number does not fit its array.
std::int64_t bin_index(AnyArray& contents, AnyArray& counts, AnyArray& offsets,
                       std::span<const std::int64_t> values, std::span<const std::int64_t> bins,
                       bool sorted = false);

/// Sorts the contents of each bin in ascending order. The bins lie in order and apart, gaps
/// allowed, else Error(value). Each rank fetches and sorts about as many elements, by whole bins.
void bin_sort(AnyArray& contents, const AnyArray& counts, const AnyArray& offsets);

}  // namespace lagoon::atoll
