// C names: algebra of whole arrays.

#include <complex>

#include "atoll/algebra.hpp"
#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/elementwise.hpp"
#include "compat/ga/algebra/reductions.hpp"
#include "compat/ga/algebra/steps.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using ga::numbers;
using lagoon::atoll::compat::guarded;

namespace {

template <class T>
T dot(const char* routine, int g_a, int g_b) {
  return guarded(routine, [&] { return ga::dot_as<T>(numbers(g_a), numbers(g_b)); });
}

void binary(const char* routine, ga::Binary work, int g_a, int g_b, int g_c) {
  guarded(routine, [&] { work(numbers(g_a), numbers(g_b), numbers(g_c)); });
}

}  // namespace

extern "C" {

void GA_Zero(int g_a) {
  guarded("GA_Zero", [&] { ga::set_to_zero(ga::elements(g_a)); });
}
ATOLL_GA_ALSO(NGA_Zero, GA_Zero);

void GA_Copy(int g_a, int g_b) {
  guarded("GA_Copy", [&] {
    ga::copy_elements(ga::array_of(g_a), ga::elements(g_a), ga::array_of(g_b), ga::elements(g_b));
  });
}

void GA_Fill(int g_a, void* value) {
  guarded("GA_Fill", [&] { ga::fill_with(numbers(g_a), value); });
}
ATOLL_GA_ALSO(NGA_Fill, GA_Fill);

void GA_Scale(int g_a, void* value) {
  guarded("GA_Scale", [&] { ga::scale_by(numbers(g_a), value); });
}

void GA_Add_constant(int g_a, void* alpha) {
  guarded("GA_Add_constant", [&] { ga::add_number(numbers(g_a), alpha); });
}

void GA_Abs_value(int g_a) {
  guarded("GA_Abs_value", [&] { ga::absolute_values(numbers(g_a)); });
}

void GA_Recip(int g_a) {
  guarded("GA_Recip", [&] { ga::reciprocals(numbers(g_a)); });
}

void GA_Randomize(int g_a, void* value) {
  guarded("GA_Randomize", [&] { ga::randomize(numbers(g_a), value); });
}
ATOLL_GA_ALSO(NGA_Randomize, GA_Randomize);

void GA_Add(void* alpha, int g_a, void* beta, int g_b, int g_c) {
  guarded("GA_Add", [&] { ga::add_scaled(alpha, numbers(g_a), beta, numbers(g_b), numbers(g_c)); });
}

void GA_Elem_multiply(int g_a, int g_b, int g_c) {
  binary("GA_Elem_multiply", ga::multiply_elements, g_a, g_b, g_c);
}
void GA_Elem_divide(int g_a, int g_b, int g_c) {
  binary("GA_Elem_divide", ga::divide_elements, g_a, g_b, g_c);
}
void GA_Elem_minimum(int g_a, int g_b, int g_c) {
  binary("GA_Elem_minimum", ga::minimum_elements, g_a, g_b, g_c);
}
void GA_Elem_maximum(int g_a, int g_b, int g_c) {
  binary("GA_Elem_maximum", ga::maximum_elements, g_a, g_b, g_c);
}

void GA_Median(int g_a, int g_b, int g_c, int g_m) {
  guarded("GA_Median",
          [&] { ga::median_elements(numbers(g_a), numbers(g_b), numbers(g_c), numbers(g_m)); });
}

int GA_Idot(int g_a, int g_b) { return dot<int>("GA_Idot", g_a, g_b); }
long GA_Ldot(int g_a, int g_b) { return dot<long>("GA_Ldot", g_a, g_b); }
long long GA_Lldot(int g_a, int g_b) { return dot<long long>("GA_Lldot", g_a, g_b); }
float GA_Fdot(int g_a, int g_b) { return dot<float>("GA_Fdot", g_a, g_b); }
double GA_Ddot(int g_a, int g_b) { return dot<double>("GA_Ddot", g_a, g_b); }
SingleComplex GA_Cdot(int g_a, int g_b) {
  return ga::structure(dot<std::complex<float>>("GA_Cdot", g_a, g_b));
}
DoubleComplex GA_Zdot(int g_a, int g_b) {
  return ga::structure(dot<std::complex<double>>("GA_Zdot", g_a, g_b));
}

void GA_Step_max(int g_a, int g_b, void* step) {
  guarded("GA_Step_max", [&] { ga::largest_step(numbers(g_a), numbers(g_b), step); });
}

void GA_Step_bound_info(int g_xx, int g_vv, int g_xxll, int g_xxuu, void* boundmin, void* wolfemin,
                        void* boundmax) {
  guarded("GA_Step_bound_info", [&] {
    ga::step_bounds(numbers(g_xx), numbers(g_vv), numbers(g_xxll), numbers(g_xxuu),
                    {boundmin, wolfemin, boundmax});
  });
}

}  // extern "C"
