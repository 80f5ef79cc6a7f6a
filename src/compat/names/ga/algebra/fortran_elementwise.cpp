// Fortran names: algebra of whole arrays; what does not depend on the language calls C's.

#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

namespace {

int handle(const Integer* g) { return static_cast<int>(*g); }

}  // namespace

extern "C" {
void ga_zero_(const Integer* g_a) { GA_Zero(handle(g_a)); }
ATOLL_GA_ALSO(nga_zero_, ga_zero_);

void ga_copy_(const Integer* g_a, const Integer* g_b) { GA_Copy(handle(g_a), handle(g_b)); }
ATOLL_GA_ALSO(nga_copy_, ga_copy_);

void ga_fill_(const Integer* g_a, void* value) { GA_Fill(handle(g_a), value); }
ATOLL_GA_ALSO(nga_fill_, ga_fill_);

void ga_scale_(const Integer* g_a, void* value) { GA_Scale(handle(g_a), value); }
ATOLL_GA_ALSO(nga_scale_, ga_scale_);
ATOLL_GA_ALSO(ga_cscal_, ga_scale_);
ATOLL_GA_ALSO(ga_cscale_, ga_scale_);
ATOLL_GA_ALSO(ga_dscal_, ga_scale_);
ATOLL_GA_ALSO(ga_dscale_, ga_scale_);
ATOLL_GA_ALSO(ga_iscal_, ga_scale_);
ATOLL_GA_ALSO(ga_iscale_, ga_scale_);
ATOLL_GA_ALSO(ga_sscal_, ga_scale_);
ATOLL_GA_ALSO(ga_sscale_, ga_scale_);
ATOLL_GA_ALSO(ga_zscal_, ga_scale_);
ATOLL_GA_ALSO(ga_zscale_, ga_scale_);
ATOLL_GA_ALSO(nga_cscale_, ga_scale_);
ATOLL_GA_ALSO(nga_dscale_, ga_scale_);
ATOLL_GA_ALSO(nga_iscale_, ga_scale_);
ATOLL_GA_ALSO(nga_sscale_, ga_scale_);
ATOLL_GA_ALSO(nga_zscale_, ga_scale_);

void ga_add_constant_(const Integer* g_a, void* alpha) { GA_Add_constant(handle(g_a), alpha); }
ATOLL_GA_ALSO(nga_add_constant_, ga_add_constant_);

void ga_abs_value_(const Integer* g_a) { GA_Abs_value(handle(g_a)); }
ATOLL_GA_ALSO(nga_abs_value_, ga_abs_value_);

void ga_recip_(const Integer* g_a) { GA_Recip(handle(g_a)); }

void ga_randomize_(const Integer* g_a, void* value) { GA_Randomize(handle(g_a), value); }
ATOLL_GA_ALSO(nga_randomize_, ga_randomize_);

void ga_add_(void* alpha, const Integer* g_a, void* beta, const Integer* g_b, const Integer* g_c) {
  GA_Add(alpha, handle(g_a), beta, handle(g_b), handle(g_c));
}
ATOLL_GA_ALSO(nga_add_, ga_add_);
ATOLL_GA_ALSO(ga_cadd_, ga_add_);
ATOLL_GA_ALSO(ga_dadd_, ga_add_);
ATOLL_GA_ALSO(ga_iadd_, ga_add_);
ATOLL_GA_ALSO(ga_sadd_, ga_add_);
ATOLL_GA_ALSO(ga_zadd_, ga_add_);
ATOLL_GA_ALSO(nga_cadd_, ga_add_);
ATOLL_GA_ALSO(nga_dadd_, ga_add_);
ATOLL_GA_ALSO(nga_iadd_, ga_add_);
ATOLL_GA_ALSO(nga_sadd_, ga_add_);
ATOLL_GA_ALSO(nga_zadd_, ga_add_);

void ga_elem_multiply_(const Integer* g_a, const Integer* g_b, const Integer* g_c) {
  GA_Elem_multiply(handle(g_a), handle(g_b), handle(g_c));
}
ATOLL_GA_ALSO(nga_elem_multiply_, ga_elem_multiply_);

void ga_elem_divide_(const Integer* g_a, const Integer* g_b, const Integer* g_c) {
  GA_Elem_divide(handle(g_a), handle(g_b), handle(g_c));
}
ATOLL_GA_ALSO(nga_elem_divide_, ga_elem_divide_);

void ga_elem_minimum_(const Integer* g_a, const Integer* g_b, const Integer* g_c) {
  GA_Elem_minimum(handle(g_a), handle(g_b), handle(g_c));
}
ATOLL_GA_ALSO(nga_elem_minimum_, ga_elem_minimum_);

void ga_elem_maximum_(const Integer* g_a, const Integer* g_b, const Integer* g_c) {
  GA_Elem_maximum(handle(g_a), handle(g_b), handle(g_c));
}
ATOLL_GA_ALSO(nga_elem_maximum_, ga_elem_maximum_);

void ga_median_(const Integer* g_a, const Integer* g_b, const Integer* g_c, const Integer* g_m) {
  GA_Median(handle(g_a), handle(g_b), handle(g_c), handle(g_m));
}
ATOLL_GA_ALSO(nga_median_, ga_median_);

Integer ga_idot_(const Integer* g_a, const Integer* g_b) {
  return static_cast<Integer>(GA_Lldot(handle(g_a), handle(g_b)));
}
ATOLL_GA_ALSO(nga_idot_, ga_idot_);

Real ga_sdot_(const Integer* g_a, const Integer* g_b) { return GA_Fdot(handle(g_a), handle(g_b)); }
ATOLL_GA_ALSO(nga_sdot_, ga_sdot_);

DoublePrecision ga_ddot_(const Integer* g_a, const Integer* g_b) {
  return GA_Ddot(handle(g_a), handle(g_b));
}
ATOLL_GA_ALSO(nga_ddot_, ga_ddot_);

SingleComplex ga_cdot_(const Integer* g_a, const Integer* g_b) {
  return GA_Cdot(handle(g_a), handle(g_b));
}
ATOLL_GA_ALSO(nga_cdot_, ga_cdot_);

DoubleComplex ga_zdot_(const Integer* g_a, const Integer* g_b) {
  return GA_Zdot(handle(g_a), handle(g_b));
}
ATOLL_GA_ALSO(nga_zdot_, ga_zdot_);

void ga_step_max_(const Integer* g_a, const Integer* g_b, void* step) {
  GA_Step_max(handle(g_a), handle(g_b), step);
}
ATOLL_GA_ALSO(nga_step_max_, ga_step_max_);

void ga_step_bound_info_(const Integer* g_xx, const Integer* g_vv, const Integer* g_xxll,
                         const Integer* g_xxuu, void* boundmin, void* wolfemin, void* boundmax) {
  GA_Step_bound_info(handle(g_xx), handle(g_vv), handle(g_xxll), handle(g_xxuu), boundmin, wolfemin,
                     boundmax);
}
ATOLL_GA_ALSO(nga_step_bound_info_, ga_step_bound_info_);

}  // extern "C"
