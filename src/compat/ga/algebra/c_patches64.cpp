// C names: algebra of patches, with 64-bit bounds.
#include <mpi.h>

#include <complex>

#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/patches.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;

namespace {

ga::Part<ga::View::c, int64_t> part(std::int64_t handle, const int64_t* lo, const int64_t* hi) {
  return {handle, lo, hi};
}

}  // namespace

extern "C" {

void NGA_Copy_patch64(char trans, int g_a, int64_t* alo, int64_t* ahi, int g_b, int64_t* blo,
                      int64_t* bhi) {
  ga::copy_patch("NGA_Copy_patch64", trans, part(g_a, alo, ahi), part(g_b, blo, bhi));
}
void NGA_Zero_patch64(int g_a, int64_t* lo, int64_t* hi) {
  ga::zero_patch("NGA_Zero_patch64", part(g_a, lo, hi));
}
void NGA_Fill_patch64(int g_a, int64_t* lo, int64_t* hi, void* val) {
  ga::with_number("NGA_Fill_patch64", ga::fill_with, part(g_a, lo, hi), val);
}
void NGA_Scale_patch64(int g_a, int64_t* lo, int64_t* hi, void* alpha) {
  ga::with_number("NGA_Scale_patch64", ga::scale_by, part(g_a, lo, hi), alpha);
}
void GA_Add_constant_patch64(int g_a, int64_t* lo, int64_t* hi, void* alpha) {
  ga::with_number("GA_Add_constant_patch64", ga::add_number, part(g_a, lo, hi), alpha);
}
void GA_Abs_value_patch64(int g_a, int64_t* lo, int64_t* hi) {
  ga::in_place("GA_Abs_value_patch64", ga::absolute_values, part(g_a, lo, hi));
}
void GA_Recip_patch64(int g_a, int64_t* lo, int64_t* hi) {
  ga::in_place("GA_Recip_patch64", ga::reciprocals, part(g_a, lo, hi));
}

void GA_Elem_multiply_patch64(int g_a, int64_t* alo, int64_t* ahi, int g_b, int64_t* blo,
                              int64_t* bhi, int g_c, int64_t* clo, int64_t* chi) {
  ga::binary_patch("GA_Elem_multiply_patch64", ga::multiply_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
void GA_Elem_divide_patch64(int g_a, int64_t* alo, int64_t* ahi, int g_b, int64_t* blo,
                            int64_t* bhi, int g_c, int64_t* clo, int64_t* chi) {
  ga::binary_patch("GA_Elem_divide_patch64", ga::divide_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
void GA_Elem_minimum_patch64(int g_a, int64_t* alo, int64_t* ahi, int g_b, int64_t* blo,
                             int64_t* bhi, int g_c, int64_t* clo, int64_t* chi) {
  ga::binary_patch("GA_Elem_minimum_patch64", ga::minimum_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}
void GA_Elem_maximum_patch64(int g_a, int64_t* alo, int64_t* ahi, int g_b, int64_t* blo,
                             int64_t* bhi, int g_c, int64_t* clo, int64_t* chi) {
  ga::binary_patch("GA_Elem_maximum_patch64", ga::maximum_elements, part(g_a, alo, ahi),
                   part(g_b, blo, bhi), part(g_c, clo, chi));
}

void NGA_Add_patch64(void* alpha, int g_a, int64_t* alo, int64_t* ahi, void* beta, int g_b,
                     int64_t* blo, int64_t* bhi, int g_c, int64_t* clo, int64_t* chi) {
  ga::add_patch("NGA_Add_patch64", alpha, part(g_a, alo, ahi), beta, part(g_b, blo, bhi),
                part(g_c, clo, chi));
}
void GA_Median_patch64(int g_a, int64_t* alo, int64_t* ahi, int g_b, int64_t* blo, int64_t* bhi,
                       int g_c, int64_t* clo, int64_t* chi, int g_m, int64_t* mlo, int64_t* mhi) {
  ga::median_patch("GA_Median_patch64", part(g_a, alo, ahi), part(g_b, blo, bhi),
                   part(g_c, clo, chi), part(g_m, mlo, mhi));
}
void GA_Step_max_patch64(int g_a, int64_t* alo, int64_t* ahi, int g_b, int64_t* blo, int64_t* bhi,
                         void* step) {
  ga::step_max_patch("GA_Step_max_patch64", part(g_a, alo, ahi), part(g_b, blo, bhi), step);
}
void GA_Step_bound_info_patch64(int g_xx, int64_t* xxlo, int64_t* xxhi, int g_vv, int64_t* vvlo,
                                int64_t* vvhi, int g_xxll, int64_t* xxlllo, int64_t* xxllhi,
                                int64_t g_xxuu, int64_t* xxuulo, int64_t* xxuuhi, void* boundmin,
                                void* wolfemin, void* boundmax) {
  ga::step_bounds_patch("GA_Step_bound_info_patch64", part(g_xx, xxlo, xxhi),
                        part(g_vv, vvlo, vvhi), part(g_xxll, xxlllo, xxllhi),
                        part(g_xxuu, xxuulo, xxuuhi), {boundmin, wolfemin, boundmax});
}

int NGA_Idot_patch64(int g_a, char t_a, int64_t* alo, int64_t* ahi, int g_b, char t_b, int64_t* blo,
                     int64_t* bhi) {
  return ga::dot_patch<int>("NGA_Idot_patch64", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi), t_b);
}
long NGA_Ldot_patch64(int g_a, char t_a, int64_t* alo, int64_t* ahi, int g_b, char t_b,
                      int64_t* blo, int64_t* bhi) {
  return ga::dot_patch<long>("NGA_Ldot_patch64", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi),
                             t_b);
}
long long NGA_Lldot_patch64(int g_a, char t_a, int64_t* alo, int64_t* ahi, int g_b, char t_b,
                            int64_t* blo, int64_t* bhi) {
  return ga::dot_patch<long long>("NGA_Lldot_patch64", part(g_a, alo, ahi), t_a,
                                  part(g_b, blo, bhi), t_b);
}
float NGA_Fdot_patch64(int g_a, char t_a, int64_t* alo, int64_t* ahi, int g_b, char t_b,
                       int64_t* blo, int64_t* bhi) {
  return ga::dot_patch<float>("NGA_Fdot_patch64", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi),
                              t_b);
}
double NGA_Ddot_patch64(int g_a, char t_a, int64_t* alo, int64_t* ahi, int g_b, char t_b,
                        int64_t* blo, int64_t* bhi) {
  return ga::dot_patch<double>("NGA_Ddot_patch64", part(g_a, alo, ahi), t_a, part(g_b, blo, bhi),
                               t_b);
}
SingleComplex NGA_Cdot_patch64(int g_a, char t_a, int64_t* alo, int64_t* ahi, int g_b, char t_b,
                               int64_t* blo, int64_t* bhi) {
  return ga::structure(ga::dot_patch<std::complex<float>>("NGA_Cdot_patch64", part(g_a, alo, ahi),
                                                          t_a, part(g_b, blo, bhi), t_b));
}
DoubleComplex NGA_Zdot_patch64(int g_a, char t_a, int64_t* alo, int64_t* ahi, int g_b, char t_b,
                               int64_t* blo, int64_t* bhi) {
  return ga::structure(ga::dot_patch<std::complex<double>>("NGA_Zdot_patch64", part(g_a, alo, ahi),
                                                           t_a, part(g_b, blo, bhi), t_b));
}

void NGA_Select_elem64(int g_a, const char* op, void* val, int64_t* index) {
  ga::select_element<ga::View::c>("NGA_Select_elem64", g_a, op, val, index);
}

}  // extern "C"
