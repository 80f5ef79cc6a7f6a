// C names: algebra of patches, with bounds of int.
#include <mpi.h>

#include <complex>

#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/patches.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;

namespace {

ga::Part<ga::View::c, int> part(std::int64_t handle, const int* lo, const int* hi) {
  return {handle, lo, hi};
}

}  // namespace

extern "C" {

void NGA_Copy_patch(char trans, int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi) {
  ga::copy_patch("NGA_Copy_patch", trans, part(g_a, alo, ahi), part(g_b, blo, bhi));
}
void NGA_Zero_patch(int g_a, int* lo, int* hi) {
  ga::zero_patch("NGA_Zero_patch", part(g_a, lo, hi));
}
void NGA_Fill_patch(int g_a, int* lo, int* hi, void* val) {
  ga::with_number("NGA_Fill_patch", ga::fill_with, part(g_a, lo, hi), val);
}
void NGA_Scale_patch(int g_a, int* lo, int* hi, void* alpha) {
  ga::with_number("NGA_Scale_patch", ga::scale_by, part(g_a, lo, hi), alpha);
}
void GA_Add_constant_patch(int g_a, int* lo, int* hi, void* alpha) {
  ga::with_number("GA_Add_constant_patch", ga::add_number, part(g_a, lo, hi), alpha);
}
void GA_Abs_value_patch(int g_a, int* lo, int* hi) {
  ga::in_place("GA_Abs_value_patch", ga::absolute_values, part(g_a, lo, hi));
}
void GA_Recip_patch(int g_a, int* lo, int* hi) {
  ga::in_place("GA_Recip_patch", ga::reciprocals, part(g_a, lo, hi));
}

void GA_Elem_multiply_patch(int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi, int g_c,
                            int* clo, int* chi) {
  ga::binary_patch("GA_Elem_multiply_patch", ga::multiply_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
void GA_Elem_divide_patch(int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi, int g_c,
                          int* clo, int* chi) {
  ga::binary_patch("GA_Elem_divide_patch", ga::divide_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
void GA_Elem_minimum_patch(int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi, int g_c,
                           int* clo, int* chi) {
  ga::binary_patch("GA_Elem_minimum_patch", ga::minimum_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
void GA_Elem_maximum_patch(int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi, int g_c,
                           int* clo, int* chi) {
  ga::binary_patch("GA_Elem_maximum_patch", ga::maximum_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}

void NGA_Add_patch(void* alpha, int g_a, int* alo, int* ahi, void* beta, int g_b, int* blo,
                   int* bhi, int g_c, int* clo, int* chi) {
  ga::add_patch("NGA_Add_patch", alpha, part(g_a, alo, ahi), beta, part(g_b, blo, bhi),
                part(g_c, clo, chi));
}
void GA_Median_patch(int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi, int g_c, int* clo,
                     int* chi, int g_m, int* mlo, int* mhi) {
  ga::median_patch("GA_Median_patch", part(g_a, alo, ahi), part(g_b, blo, bhi), part(g_c, clo, chi),
                   part(g_m, mlo, mhi));
}
void GA_Step_max_patch(int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi, void* step) {
  ga::step_max_patch("GA_Step_max_patch", part(g_a, alo, ahi), part(g_b, blo, bhi), step);
}
void GA_Step_bound_info_patch(int g_xx, int* xxlo, int* xxhi, int g_vv, int* vvlo, int* vvhi,
                              int g_xxll, int* xxlllo, int* xxllhi, int g_xxuu, int* xxuulo,
                              int* xxuuhi, void* boundmin, void* wolfemin, void* boundmax) {
  ga::step_bounds_patch("GA_Step_bound_info_patch", part(g_xx, xxlo, xxhi), part(g_vv, vvlo, vvhi),
                        part(g_xxll, xxlllo, xxllhi), part(g_xxuu, xxuulo, xxuuhi),
                        {boundmin, wolfemin, boundmax});
}

int NGA_Idot_patch(int g_a, char t_a, int* alo, int* ahi, int g_b, char t_b, int* blo, int* bhi) {
  return ga::dot_patch<int>("NGA_Idot_patch", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b);
}
long NGA_Ldot_patch(int g_a, char t_a, int* alo, int* ahi, int g_b, char t_b, int* blo, int* bhi) {
  return ga::dot_patch<long>("NGA_Ldot_patch", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b);
}
long long NGA_Lldot_patch(int g_a, char t_a, int* alo, int* ahi, int g_b, char t_b, int* blo,
                          int* bhi) {
  return ga::dot_patch<long long>("NGA_Lldot_patch", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi),
                                  t_b);
}
float NGA_Fdot_patch(int g_a, char t_a, int* alo, int* ahi, int g_b, char t_b, int* blo, int* bhi) {
  return ga::dot_patch<float>("NGA_Fdot_patch", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b);
}
double NGA_Ddot_patch(int g_a, char t_a, int* alo, int* ahi, int g_b, char t_b, int* blo,
                      int* bhi) {
  return ga::dot_patch<double>("NGA_Ddot_patch", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi),
                               t_b);
}
SingleComplex NGA_Cdot_patch(int g_a, char t_a, int* alo, int* ahi, int g_b, char t_b, int* blo,
                             int* bhi) {
  return ga::structure(ga::dot_patch<std::complex<float>>("NGA_Cdot_patch", part(g_a, alo, ahi),
                                                          t_a, part(g_b, blo, bhi), t_b));
}
DoubleComplex NGA_Zdot_patch(int g_a, char t_a, int* alo, int* ahi, int g_b, char t_b, int* blo,
                             int* bhi) {
  return ga::structure(ga::dot_patch<std::complex<double>>("NGA_Zdot_patch", part(g_a, alo, ahi),
                                                           t_a, part(g_b, blo, bhi), t_b));
}

void NGA_Select_elem(int g_a, const char* op, void* val, int* index) {
  ga::select_element<ga::View::c>("NGA_Select_elem", g_a, op, val, index);
}

}  // extern "C"
