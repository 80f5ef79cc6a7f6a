// Fortran names: algebra of patches of matrices, with rows and columns as arguments.

#include <complex>

#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/patches.hpp"
#include "compat/names/ga/names.hpp"

using namespace lagoon::atoll;

namespace {

ga::MatrixPart part(const Integer* handle, const Integer* ilo, const Integer* ihi,
                    const Integer* jlo, const Integer* jhi) {
  return {*handle, *ilo, *ihi, *jlo, *jhi};
}

}  // namespace

extern "C" {

void ga_copy_patch_(const char* trans, const Integer* g_a, const Integer* ailo, const Integer* aihi,
                    const Integer* ajlo, const Integer* ajhi, const Integer* g_b,
                    const Integer* bilo, const Integer* bihi, const Integer* bjlo,
                    const Integer* bjhi) {
  ga::copy_patch("ga_copy_patch", *trans, part(g_a, ailo, aihi, ajlo, ajhi),
                 part(g_b, bilo, bihi, bjlo, bjhi));
}
ATOLL_GA_ALSO(ga_copy_patch_dp_, ga_copy_patch_);

void ga_zero_patch_(const Integer* g_a, const Integer* ailo, const Integer* aihi,
                    const Integer* ajlo, const Integer* ajhi) {
  ga::zero_patch("ga_zero_patch", part(g_a, ailo, aihi, ajlo, ajhi));
}

void ga_fill_patch_(const Integer* g_a, const Integer* ailo, const Integer* aihi,
                    const Integer* ajlo, const Integer* ajhi, const void* value) {
  ga::with_number("ga_fill_patch", ga::fill_with, part(g_a, ailo, aihi, ajlo, ajhi), value);
}
ATOLL_GA_ALSO(ga_cfill_patch_, ga_fill_patch_);
ATOLL_GA_ALSO(ga_dfill_patch_, ga_fill_patch_);
ATOLL_GA_ALSO(ga_ifill_patch_, ga_fill_patch_);
ATOLL_GA_ALSO(ga_sfill_patch_, ga_fill_patch_);
ATOLL_GA_ALSO(ga_zfill_patch_, ga_fill_patch_);

void ga_scale_patch_(const Integer* g_a, const Integer* ailo, const Integer* aihi,
                     const Integer* ajlo, const Integer* ajhi, const void* alpha) {
  ga::with_number("ga_scale_patch", ga::scale_by, part(g_a, ailo, aihi, ajlo, ajhi), alpha);
}
ATOLL_GA_ALSO(ga_cscal_patch_, ga_scale_patch_);
ATOLL_GA_ALSO(ga_dscal_patch_, ga_scale_patch_);
ATOLL_GA_ALSO(ga_iscal_patch_, ga_scale_patch_);
ATOLL_GA_ALSO(ga_sscal_patch_, ga_scale_patch_);
ATOLL_GA_ALSO(ga_zscal_patch_, ga_scale_patch_);

void ga_add_patch_(const void* alpha, const Integer* g_a, const Integer* ailo, const Integer* aihi,
                   const Integer* ajlo, const Integer* ajhi, const void* beta, const Integer* g_b,
                   const Integer* bilo, const Integer* bihi, const Integer* bjlo,
                   const Integer* bjhi, const Integer* g_c, const Integer* cilo,
                   const Integer* cihi, const Integer* cjlo, const Integer* cjhi) {
  ga::add_patch("ga_add_patch", alpha, part(g_a, ailo, aihi, ajlo, ajhi), beta,
                part(g_b, bilo, bihi, bjlo, bjhi), part(g_c, cilo, cihi, cjlo, cjhi));
}
ATOLL_GA_ALSO(ga_cadd_patch_, ga_add_patch_);
ATOLL_GA_ALSO(ga_dadd_patch_, ga_add_patch_);
ATOLL_GA_ALSO(ga_iadd_patch_, ga_add_patch_);
ATOLL_GA_ALSO(ga_sadd_patch_, ga_add_patch_);
ATOLL_GA_ALSO(ga_zadd_patch_, ga_add_patch_);

Integer ga_idot_patch_(const Integer* g_a, const char* t_a, const Integer* ailo,
                       const Integer* aihi, const Integer* ajlo, const Integer* ajhi,
                       const Integer* g_b, const char* t_b, const Integer* bilo,
                       const Integer* bihi, const Integer* bjlo, const Integer* bjhi) {
  return ga::dot_patch<Integer>("ga_idot_patch", part(g_a, ailo, aihi, ajlo, ajhi), *t_a,
                                part(g_b, bilo, bihi, bjlo, bjhi), *t_b);
}

Real ga_sdot_patch_(const Integer* g_a, const char* t_a, const Integer* ailo, const Integer* aihi,
                    const Integer* ajlo, const Integer* ajhi, const Integer* g_b, const char* t_b,
                    const Integer* bilo, const Integer* bihi, const Integer* bjlo,
                    const Integer* bjhi) {
  return ga::dot_patch<Real>("ga_sdot_patch", part(g_a, ailo, aihi, ajlo, ajhi), *t_a,
                             part(g_b, bilo, bihi, bjlo, bjhi), *t_b);
}

DoublePrecision ga_ddot_patch_(const Integer* g_a, const char* t_a, const Integer* ailo,
                               const Integer* aihi, const Integer* ajlo, const Integer* ajhi,
                               const Integer* g_b, const char* t_b, const Integer* bilo,
                               const Integer* bihi, const Integer* bjlo, const Integer* bjhi) {
  return ga::dot_patch<DoublePrecision>("ga_ddot_patch", part(g_a, ailo, aihi, ajlo, ajhi), *t_a,
                                        part(g_b, bilo, bihi, bjlo, bjhi), *t_b);
}
ATOLL_GA_ALSO(ga_ddot_patch_dp_, ga_ddot_patch_);

SingleComplex ga_cdot_patch_(const Integer* g_a, const char* t_a, const Integer* ailo,
                             const Integer* aihi, const Integer* ajlo, const Integer* ajhi,
                             const Integer* g_b, const char* t_b, const Integer* bilo,
                             const Integer* bihi, const Integer* bjlo, const Integer* bjhi) {
  return ga::structure(ga::dot_patch<std::complex<float>>("ga_cdot_patch",
                                                          part(g_a, ailo, aihi, ajlo, ajhi), *t_a,
                                                          part(g_b, bilo, bihi, bjlo, bjhi), *t_b));
}

DoubleComplex ga_zdot_patch_(const Integer* g_a, const char* t_a, const Integer* ailo,
                             const Integer* aihi, const Integer* ajlo, const Integer* ajhi,
                             const Integer* g_b, const char* t_b, const Integer* bilo,
                             const Integer* bihi, const Integer* bjlo, const Integer* bjhi) {
  return ga::structure(
      ga::dot_patch<std::complex<double>>("ga_zdot_patch", part(g_a, ailo, aihi, ajlo, ajhi), *t_a,
                                          part(g_b, bilo, bihi, bjlo, bjhi), *t_b));
}

}  // extern "C"
