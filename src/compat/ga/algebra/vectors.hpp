// Vectors in order, and bins (atoll/scan.hpp, atoll/bins.hpp). Patches [lo, hi) count from 0.
// Collective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "compat/ga/algebra/views.hpp"

namespace lagoon::atoll::ga {

struct Range {
  std::int64_t lo, hi;
};

void enumerate_from(std::int64_t g_a, Range range, const void* start, const void* step);

/// Masks are vectors of numbers of any type, set where they are not zero.
/// In front of the first mark of the mask GA leaves the target of sums as it is and copies zeros
/// (measured); Atoll's own scans begin a segment there.
void scan_sums(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask, Range range,
               bool exclusive);
void scan_copies(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask, Range range);

std::int64_t pack_marked(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask,
                         Range range);
std::int64_t unpack_marked(std::int64_t g_source, std::int64_t g_target, std::int64_t g_mask,
                           Range range);

/// Puts my values into bins, numbered from 1, behind each other from the offset of their bin on,
/// and sorts the bins where `sorted`. Counts and offsets are read only: the program has made them.
void fill_bins(std::int64_t g_contents, std::int64_t g_counts, std::int64_t g_offsets,
               std::span<const std::int64_t> values, std::span<const std::int64_t> bins,
               bool sorted);
void sort_bins(std::int64_t g_contents, std::int64_t g_counts, std::int64_t g_offsets);

/// A new array of Fortran's integers, a row a process: in which bins the first and the last of its
/// elements of the contents are, 0 and 0 where it has none. GA leaves what is not set (measured)
/// where a bin goes on from one process to the next. None, on all alike, without memory for it.
std::optional<int> create_bin_range(std::int64_t g_contents, std::int64_t g_offsets);

}  // namespace lagoon::atoll::ga
