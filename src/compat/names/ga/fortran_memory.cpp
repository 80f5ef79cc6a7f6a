// Fortran names: arrays in memory that is there already.
#include "compat/failure.hpp"
#include "compat/ga/overlays.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;

extern "C" {

logical ga_overlay_(const Integer* g_a, const Integer* g_p) {
  compat::guarded("ga_overlay", [&] { ga::overlay(*g_a, *g_p); });
  return 1;
}
ATOLL_GA_ALSO(nga_overlay_, ga_overlay_);

}  // extern "C"
