// Fortran names: algebra of patches with bounds in lists.

#include <complex>

#include "compat/fortran.hpp"
#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/patches.hpp"
#include "compat/names/ga/names.hpp"

using namespace lagoon::atoll;

namespace {

using Part = ga::Part<ga::Language::fortran, Integer>;

Part part(const Integer* handle, const Integer* lo, const Integer* hi) { return {*handle, lo, hi}; }

}  // namespace

extern "C" {

void nga_copy_patch_(const char* trans, const Integer* g_a, const Integer* alo, const Integer* ahi,
                     const Integer* g_b, const Integer* blo, const Integer* bhi) {
  ga::copy_patch("nga_copy_patch", *trans, part(g_a, alo, ahi), part(g_b, blo, bhi));
}

void nga_zero_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi) {
  ga::zero_patch("nga_zero_patch", part(g_a, alo, ahi));
}

void nga_fill_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                     const void* value) {
  ga::with_number("nga_fill_patch", ga::fill_with, part(g_a, alo, ahi), value);
}
ATOLL_GA_ALSO(nga_cfill_patch_, nga_fill_patch_);
ATOLL_GA_ALSO(nga_dfill_patch_, nga_fill_patch_);
ATOLL_GA_ALSO(nga_ifill_patch_, nga_fill_patch_);
ATOLL_GA_ALSO(nga_sfill_patch_, nga_fill_patch_);
ATOLL_GA_ALSO(nga_zfill_patch_, nga_fill_patch_);

void nga_scale_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                      const void* alpha) {
  ga::with_number("nga_scale_patch", ga::scale_by, part(g_a, alo, ahi), alpha);
}
ATOLL_GA_ALSO(nga_cscale_patch_, nga_scale_patch_);
ATOLL_GA_ALSO(nga_dscale_patch_, nga_scale_patch_);
ATOLL_GA_ALSO(nga_iscale_patch_, nga_scale_patch_);
ATOLL_GA_ALSO(nga_sscale_patch_, nga_scale_patch_);
ATOLL_GA_ALSO(nga_zscale_patch_, nga_scale_patch_);

void nga_add_constant_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                             const void* alpha) {
  ga::with_number("nga_add_constant_patch", ga::add_number, part(g_a, alo, ahi), alpha);
}
ATOLL_GA_ALSO(ga_add_constant_patch_, nga_add_constant_patch_);

void nga_abs_value_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi) {
  ga::in_place("nga_abs_value_patch", ga::absolute_values, part(g_a, alo, ahi));
}
ATOLL_GA_ALSO(ga_abs_value_patch_, nga_abs_value_patch_);

void nga_recip_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi) {
  ga::in_place("nga_recip_patch", ga::reciprocals, part(g_a, alo, ahi));
}
ATOLL_GA_ALSO(ga_recip_patch_, nga_recip_patch_);

void nga_elem_multiply_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                              const Integer* g_b, const Integer* blo, const Integer* bhi,
                              const Integer* g_c, const Integer* clo, const Integer* chi) {
  ga::binary_patch("nga_elem_multiply_patch", ga::multiply_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
ATOLL_GA_ALSO(ga_elem_multiply_patch_, nga_elem_multiply_patch_);

void nga_elem_divide_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                            const Integer* g_b, const Integer* blo, const Integer* bhi,
                            const Integer* g_c, const Integer* clo, const Integer* chi) {
  ga::binary_patch("nga_elem_divide_patch", ga::divide_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
ATOLL_GA_ALSO(ga_elem_divide_patch_, nga_elem_divide_patch_);

void nga_elem_minimum_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                             const Integer* g_b, const Integer* blo, const Integer* bhi,
                             const Integer* g_c, const Integer* clo, const Integer* chi) {
  ga::binary_patch("nga_elem_minimum_patch", ga::minimum_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
ATOLL_GA_ALSO(ga_elem_minimum_patch_, nga_elem_minimum_patch_);

void nga_elem_maximum_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                             const Integer* g_b, const Integer* blo, const Integer* bhi,
                             const Integer* g_c, const Integer* clo, const Integer* chi) {
  ga::binary_patch("nga_elem_maximum_patch", ga::maximum_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
ATOLL_GA_ALSO(ga_elem_maximum_patch_, nga_elem_maximum_patch_);

void nga_elem_step_divide_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                                 const Integer* g_b, const Integer* blo, const Integer* bhi,
                                 const Integer* g_c, const Integer* clo, const Integer* chi) {
  ga::binary_patch("nga_elem_step_divide_patch", ga::step_divide_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
ATOLL_GA_ALSO(ga_elem_step_divide_patch_, nga_elem_step_divide_patch_);

void nga_elem_stepb_divide_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                                  const Integer* g_b, const Integer* blo, const Integer* bhi,
                                  const Integer* g_c, const Integer* clo, const Integer* chi) {
  ga::binary_patch("nga_elem_stepb_divide_patch", ga::stepb_divide_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
ATOLL_GA_ALSO(ga_elem_stepb_divide_patch_, nga_elem_stepb_divide_patch_);

void nga_add_patch_(const void* alpha, const Integer* g_a, const Integer* alo, const Integer* ahi,
                    const void* beta, const Integer* g_b, const Integer* blo, const Integer* bhi,
                    const Integer* g_c, const Integer* clo, const Integer* chi) {
  ga::add_patch("nga_add_patch", alpha, part(g_a, alo, ahi), beta, part(g_b, blo, bhi),
                part(g_c, clo, chi));
}
ATOLL_GA_ALSO(nga_cadd_patch_, nga_add_patch_);
ATOLL_GA_ALSO(nga_dadd_patch_, nga_add_patch_);
ATOLL_GA_ALSO(nga_iadd_patch_, nga_add_patch_);
ATOLL_GA_ALSO(nga_sadd_patch_, nga_add_patch_);
ATOLL_GA_ALSO(nga_zadd_patch_, nga_add_patch_);

void nga_median_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                       const Integer* g_b, const Integer* blo, const Integer* bhi,
                       const Integer* g_c, const Integer* clo, const Integer* chi,
                       const Integer* g_m, const Integer* mlo, const Integer* mhi) {
  ga::median_patch("nga_median_patch", part(g_a, alo, ahi), part(g_b, blo, bhi),
                   part(g_c, clo, chi), part(g_m, mlo, mhi));
}
ATOLL_GA_ALSO(ga_median_patch_, nga_median_patch_);

void nga_step_max_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                         const Integer* g_b, const Integer* blo, const Integer* bhi, void* step) {
  ga::step_max_patch("nga_step_max_patch", part(g_a, alo, ahi), part(g_b, blo, bhi), step);
}
ATOLL_GA_ALSO(ga_step_max_patch_, nga_step_max_patch_);

void nga_step_bound_info_patch_(const Integer* g_xx, const Integer* xxlo, const Integer* xxhi,
                                const Integer* g_vv, const Integer* vvlo, const Integer* vvhi,
                                const Integer* g_xxll, const Integer* xxlllo, const Integer* xxllhi,
                                const Integer* g_xxuu, const Integer* xxuulo, const Integer* xxuuhi,
                                void* boundmin, void* wolfemin, void* boundmax) {
  ga::step_bounds_patch("nga_step_bound_info_patch", part(g_xx, xxlo, xxhi), part(g_vv, vvlo, vvhi),
                        part(g_xxll, xxlllo, xxllhi), part(g_xxuu, xxuulo, xxuuhi),
                        {boundmin, wolfemin, boundmax});
}
ATOLL_GA_ALSO(ga_step_bound_info_patch_, nga_step_bound_info_patch_);

Integer nga_idot_patch_(const Integer* g_a, const char* t_a, const Integer* alo, const Integer* ahi,
                        const Integer* g_b, const char* t_b, const Integer* blo,
                        const Integer* bhi) {
  return ga::dot_patch<Integer>("nga_idot_patch", part(g_a, alo, ahi), *t_a, part(g_b, blo, bhi),
                                *t_b);
}

Real nga_sdot_patch_(const Integer* g_a, const char* t_a, const Integer* alo, const Integer* ahi,
                     const Integer* g_b, const char* t_b, const Integer* blo, const Integer* bhi) {
  return ga::dot_patch<Real>("nga_sdot_patch", part(g_a, alo, ahi), *t_a, part(g_b, blo, bhi),
                             *t_b);
}

DoublePrecision nga_ddot_patch_(const Integer* g_a, const char* t_a, const Integer* alo,
                                const Integer* ahi, const Integer* g_b, const char* t_b,
                                const Integer* blo, const Integer* bhi) {
  return ga::dot_patch<DoublePrecision>("nga_ddot_patch", part(g_a, alo, ahi), *t_a,
                                        part(g_b, blo, bhi), *t_b);
}

SingleComplex nga_cdot_patch_(const Integer* g_a, const char* t_a, const Integer* alo,
                              const Integer* ahi, const Integer* g_b, const char* t_b,
                              const Integer* blo, const Integer* bhi) {
  return ga::structure(ga::dot_patch<std::complex<float>>("nga_cdot_patch", part(g_a, alo, ahi),
                                                          *t_a, part(g_b, blo, bhi), *t_b));
}

DoubleComplex nga_zdot_patch_(const Integer* g_a, const char* t_a, const Integer* alo,
                              const Integer* ahi, const Integer* g_b, const char* t_b,
                              const Integer* blo, const Integer* bhi) {
  return ga::structure(ga::dot_patch<std::complex<double>>("nga_zdot_patch", part(g_a, alo, ahi),
                                                           *t_a, part(g_b, blo, bhi), *t_b));
}

void nga_select_elem_(const Integer* g_a, const char* op, void* val, Integer* index,
                      compat::TextLength length) {
  ga::select_element<ga::Language::fortran>("nga_select_elem", *g_a, compat::text_of(op, length),
                                            val, index);
}

}  // extern "C"
