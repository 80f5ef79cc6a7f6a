// Fortran names: vectors in order, and bins.

#include <vector>

#include "compat/ga/algebra/vectors.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using lagoon::atoll::compat::guarded;

namespace {

ga::Range range(const Integer* lo, const Integer* hi) { return {*lo - 1, *hi}; }

}  // namespace

extern "C" {

void ga_patch_enum_(const Integer* g_a, const Integer* lo, const Integer* hi, const void* start,
                    const void* inc) {
  guarded("ga_patch_enum", [&] { ga::enumerate_from(*g_a, range(lo, hi), start, inc); });
}
ATOLL_GA_ALSO(nga_patch_enum_, ga_patch_enum_);

void ga_scan_add_(const Integer* g_a, const Integer* g_b, const Integer* g_sbit, const Integer* lo,
                  const Integer* hi, const Integer* excl) {
  guarded("ga_scan_add", [&] { ga::scan_sums(*g_a, *g_b, *g_sbit, range(lo, hi), *excl != 0); });
}
ATOLL_GA_ALSO(nga_scan_add_, ga_scan_add_);

void ga_scan_copy_(const Integer* g_a, const Integer* g_b, const Integer* g_sbit, const Integer* lo,
                   const Integer* hi) {
  guarded("ga_scan_copy", [&] { ga::scan_copies(*g_a, *g_b, *g_sbit, range(lo, hi)); });
}
ATOLL_GA_ALSO(nga_scan_copy_, ga_scan_copy_);

void ga_pack_(const Integer* g_a, const Integer* g_b, const Integer* g_sbit, const Integer* lo,
              const Integer* hi, Integer* icount) {
  guarded("ga_pack", [&] {
    *icount = static_cast<Integer>(ga::pack_marked(*g_a, *g_b, *g_sbit, range(lo, hi)));
  });
}
ATOLL_GA_ALSO(nga_pack_, ga_pack_);

void ga_unpack_(const Integer* g_a, const Integer* g_b, const Integer* g_sbit, const Integer* lo,
                const Integer* hi, Integer* icount) {
  guarded("ga_unpack", [&] {
    *icount = static_cast<Integer>(ga::unpack_marked(*g_a, *g_b, *g_sbit, range(lo, hi)));
  });
}
ATOLL_GA_ALSO(nga_unpack_, ga_unpack_);

void ga_bin_index_(const Integer* g_bin, const Integer* g_cnt, const Integer* g_off,
                   const Integer* values, const Integer* subs, const Integer* n,
                   const Integer* sortit) {
  guarded("ga_bin_index", [&] {
    const std::vector<std::int64_t> contents(values, values + *n), bins(subs, subs + *n);
    ga::fill_bins(*g_bin, *g_cnt, *g_off, contents, bins, *sortit != 0);
  });
}
ATOLL_GA_ALSO(nga_bin_index_, ga_bin_index_);

void ga_bin_sorter_(const Integer* g_bin, const Integer* g_cnt, const Integer* g_off) {
  guarded("ga_bin_sorter", [&] { ga::sort_bins(*g_bin, *g_cnt, *g_off); });
}
ATOLL_GA_ALSO(nga_bin_sorter_, ga_bin_sorter_);

// The counts follow from the offsets.
logical ga_create_bin_range_(const Integer* g_bin, const Integer* /*g_cnt*/, const Integer* g_off,
                             Integer* g_range) {
  return guarded("ga_create_bin_range", [&] {
    const auto made = ga::create_bin_range(*g_bin, *g_off);
    if (made) *g_range = *made;
    return logical{made ? 1 : 0};
  });
}
ATOLL_GA_ALSO(nga_create_bin_range_, ga_create_bin_range_);

}  // extern "C"
