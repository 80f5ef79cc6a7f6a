// C names: vectors in order.

#include "compat/ga/algebra/vectors.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using lagoon::atoll::compat::guarded;

namespace {

/// C's bounds include the upper one.
ga::Range range(std::int64_t lo, std::int64_t hi) { return {lo, hi + 1}; }

}  // namespace

extern "C" {

void GA_Patch_enum64(int g_a, int64_t lo, int64_t hi, void* start, void* inc) {
  guarded("GA_Patch_enum", [&] { ga::enumerate_from(g_a, range(lo, hi), start, inc); });
}
void GA_Patch_enum(int g_a, int lo, int hi, void* start, void* inc) {
  GA_Patch_enum64(g_a, lo, hi, start, inc);
}

void GA_Scan_add64(int g_a, int g_b, int g_sbit, int64_t lo, int64_t hi, int excl) {
  guarded("GA_Scan_add", [&] { ga::scan_sums(g_a, g_b, g_sbit, range(lo, hi), excl != 0); });
}
void GA_Scan_add(int g_a, int g_b, int g_sbit, int lo, int hi, int excl) {
  GA_Scan_add64(g_a, g_b, g_sbit, lo, hi, excl);
}

void GA_Scan_copy64(int g_a, int g_b, int g_sbit, int64_t lo, int64_t hi) {
  guarded("GA_Scan_copy", [&] { ga::scan_copies(g_a, g_b, g_sbit, range(lo, hi)); });
}
void GA_Scan_copy(int g_a, int g_b, int g_sbit, int lo, int hi) {
  GA_Scan_copy64(g_a, g_b, g_sbit, lo, hi);
}

void GA_Pack64(int g_src, int g_dest, int g_mask, int64_t lo, int64_t hi, int64_t* icount) {
  guarded("GA_Pack", [&] { *icount = ga::pack_marked(g_src, g_dest, g_mask, range(lo, hi)); });
}
void GA_Pack(int g_src, int g_dest, int g_mask, int lo, int hi, int* icount) {
  int64_t count = 0;
  GA_Pack64(g_src, g_dest, g_mask, lo, hi, &count);
  *icount = static_cast<int>(count);
}

void GA_Unpack64(int g_src, int g_dest, int g_mask, int64_t lo, int64_t hi, int64_t* icount) {
  guarded("GA_Unpack", [&] { *icount = ga::unpack_marked(g_src, g_dest, g_mask, range(lo, hi)); });
}
void GA_Unpack(int g_src, int g_dest, int g_mask, int lo, int hi, int* icount) {
  int64_t count = 0;
  GA_Unpack64(g_src, g_dest, g_mask, lo, hi, &count);
  *icount = static_cast<int>(count);
}

}  // extern "C"
