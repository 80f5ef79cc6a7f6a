// C names: algebra of patches.

#include <complex>

#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/patches.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;

namespace {

template <class I>
ga::Part<ga::Language::c, I> part(std::int64_t handle, const I* lo, const I* hi) {
  return {handle, lo, hi};
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(void, NGA_Copy_patch,
              (char trans, int g_a, Int* alo, Int* ahi, int g_b, Int* blo, Int* bhi),
              ga::copy_patch(__func__, trans, part(g_a, alo, ahi), part(g_b, blo, bhi)));
ATOLL_GA_BOTH(void, NGA_Zero_patch, (int g_a, Int* lo, Int* hi),
              ga::zero_patch(__func__, part(g_a, lo, hi)));
ATOLL_GA_BOTH(void, NGA_Fill_patch, (int g_a, Int* lo, Int* hi, void* val),
              ga::with_number(__func__, ga::fill_with, part(g_a, lo, hi), val));
ATOLL_GA_BOTH(void, NGA_Scale_patch, (int g_a, Int* lo, Int* hi, void* alpha),
              ga::with_number(__func__, ga::scale_by, part(g_a, lo, hi), alpha));
ATOLL_GA_BOTH(void, GA_Add_constant_patch, (int g_a, Int* lo, Int* hi, void* alpha),
              ga::with_number(__func__, ga::add_number, part(g_a, lo, hi), alpha));
ATOLL_GA_BOTH(void, GA_Abs_value_patch, (int g_a, Int* lo, Int* hi),
              ga::in_place(__func__, ga::absolute_values, part(g_a, lo, hi)));
ATOLL_GA_BOTH(void, GA_Recip_patch, (int g_a, Int* lo, Int* hi),
              ga::in_place(__func__, ga::reciprocals, part(g_a, lo, hi)));

ATOLL_GA_BOTH(void, GA_Elem_multiply_patch,
              (int g_a, Int* alo, Int* ahi, int g_b, Int* blo, Int* bhi, int g_c, Int* clo,
               Int* chi),
              ga::binary_patch(__func__, ga::multiply_elements, part(g_a, alo, ahi),
                               part(g_b, blo, bhi), part(g_c, clo, chi)));
ATOLL_GA_BOTH(void, GA_Elem_divide_patch,
              (int g_a, Int* alo, Int* ahi, int g_b, Int* blo, Int* bhi, int g_c, Int* clo,
               Int* chi),
              ga::binary_patch(__func__, ga::divide_elements, part(g_a, alo, ahi),
                               part(g_b, blo, bhi), part(g_c, clo, chi)));
ATOLL_GA_BOTH(void, GA_Elem_minimum_patch,
              (int g_a, Int* alo, Int* ahi, int g_b, Int* blo, Int* bhi, int g_c, Int* clo,
               Int* chi),
              ga::binary_patch(__func__, ga::minimum_elements, part(g_a, alo, ahi),
                               part(g_b, blo, bhi), part(g_c, clo, chi)));
ATOLL_GA_BOTH(void, GA_Elem_maximum_patch,
              (int g_a, Int* alo, Int* ahi, int g_b, Int* blo, Int* bhi, int g_c, Int* clo,
               Int* chi),
              ga::binary_patch(__func__, ga::maximum_elements, part(g_a, alo, ahi),
                               part(g_b, blo, bhi), part(g_c, clo, chi)));

ATOLL_GA_BOTH(void, NGA_Add_patch,
              (void* alpha, int g_a, Int* alo, Int* ahi, void* beta, int g_b, Int* blo, Int* bhi,
               int g_c, Int* clo, Int* chi),
              ga::add_patch(__func__, alpha, part(g_a, alo, ahi), beta, part(g_b, blo, bhi),
                            part(g_c, clo, chi)));
ATOLL_GA_BOTH(void, GA_Median_patch,
              (int g_a, Int* alo, Int* ahi, int g_b, Int* blo, Int* bhi, int g_c, Int* clo,
               Int* chi, int g_m, Int* mlo, Int* mhi),
              ga::median_patch(__func__, part(g_a, alo, ahi), part(g_b, blo, bhi),
                               part(g_c, clo, chi), part(g_m, mlo, mhi)));
ATOLL_GA_BOTH(void, GA_Step_max_patch,
              (int g_a, Int* alo, Int* ahi, int g_b, Int* blo, Int* bhi, void* step),
              ga::step_max_patch(__func__, part(g_a, alo, ahi), part(g_b, blo, bhi), step));
ATOLL_GA_BOTH(void, GA_Step_bound_info_patch,
              (int g_xx, Int* xxlo, Int* xxhi, int g_vv, Int* vvlo, Int* vvhi, int g_xxll,
               Int* xxlllo, Int* xxllhi, Int g_xxuu, Int* xxuulo, Int* xxuuhi, void* boundmin,
               void* wolfemin, void* boundmax),
              ga::step_bounds_patch(__func__, part(g_xx, xxlo, xxhi), part(g_vv, vvlo, vvhi),
                                    part(g_xxll, xxlllo, xxllhi), part(g_xxuu, xxuulo, xxuuhi),
                                    {boundmin, wolfemin, boundmax}));

ATOLL_GA_BOTH(int, NGA_Idot_patch,
              (int g_a, char t_a, Int* alo, Int* ahi, int g_b, char t_b, Int* blo, Int* bhi),
              ga::dot_patch<int>(__func__, part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b));
ATOLL_GA_BOTH(long, NGA_Ldot_patch,
              (int g_a, char t_a, Int* alo, Int* ahi, int g_b, char t_b, Int* blo, Int* bhi),
              ga::dot_patch<long>(__func__, part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b));
ATOLL_GA_BOTH(long long, NGA_Lldot_patch,
              (int g_a, char t_a, Int* alo, Int* ahi, int g_b, char t_b, Int* blo, Int* bhi),
              ga::dot_patch<long long>(__func__, part(g_a, alo, ahi), t_a, part(g_b, blo, bhi),
                                       t_b));
ATOLL_GA_BOTH(float, NGA_Fdot_patch,
              (int g_a, char t_a, Int* alo, Int* ahi, int g_b, char t_b, Int* blo, Int* bhi),
              ga::dot_patch<float>(__func__, part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b));
ATOLL_GA_BOTH(double, NGA_Ddot_patch,
              (int g_a, char t_a, Int* alo, Int* ahi, int g_b, char t_b, Int* blo, Int* bhi),
              ga::dot_patch<double>(__func__, part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b));
ATOLL_GA_BOTH(SingleComplex, NGA_Cdot_patch,
              (int g_a, char t_a, Int* alo, Int* ahi, int g_b, char t_b, Int* blo, Int* bhi),
              ga::structure(ga::dot_patch<std::complex<float>>(__func__, part(g_a, alo, ahi), t_a,
                                                               part(g_b, blo, bhi), t_b)));
ATOLL_GA_BOTH(DoubleComplex, NGA_Zdot_patch,
              (int g_a, char t_a, Int* alo, Int* ahi, int g_b, char t_b, Int* blo, Int* bhi),
              ga::structure(ga::dot_patch<std::complex<double>>(__func__, part(g_a, alo, ahi), t_a,
                                                                part(g_b, blo, bhi), t_b)));

ATOLL_GA_BOTH(void, NGA_Select_elem, (int g_a, const char* op, void* val, Int* index),
              ga::select_element<ga::Language::c>(__func__, g_a, op, val, index));

}  // extern "C"
