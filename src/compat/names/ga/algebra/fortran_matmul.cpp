// Fortran names: products of matrices.

#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/matmul.hpp"
#include "compat/ga/algebra/patches.hpp"
#include "compat/ga/mirrored.hpp"
#include "compat/names/ga/names.hpp"

using namespace lagoon::atoll;

namespace {

constexpr ga::Language fortran = ga::Language::fortran;

template <class T>
void gemm(const char* routine, const char* transa, const char* transb, const Integer* m,
          const Integer* n, const Integer* k, T alpha, const Integer* g_a, const Integer* g_b,
          T beta, const Integer* g_c) {
  lagoon::atoll::compat::guarded(routine, [&] {
    ga::general_multiply<fortran>(*transa, *transb, {*m, *n, *k}, alpha, *g_a, *g_b, beta, *g_c,
                                  element_type_of<T>());
  });
}

template <class P>
void multiply_patches(const char* routine, char transa, char transb, const void* alpha,
                      const void* beta, const P& a, const P& b, const P& c) {
  lagoon::atoll::compat::guarded(routine, [&] {
    ga::multiply_patches<fortran>(alpha, {a.handle, a.patch(), transa},
                                  {b.handle, b.patch(), transb}, beta, c.handle, c.patch());
  });
}

}  // namespace

extern "C" {

void ga_sgemm_(const char* transa, const char* transb, const Integer* m, const Integer* n,
               const Integer* k, const Real* alpha, const Integer* g_a, const Integer* g_b,
               const Real* beta, const Integer* g_c) {
  gemm("ga_sgemm", transa, transb, m, n, k, *alpha, g_a, g_b, *beta, g_c);
}

void ga_dgemm_(const char* transa, const char* transb, const Integer* m, const Integer* n,
               const Integer* k, const DoublePrecision* alpha, const Integer* g_a,
               const Integer* g_b, const DoublePrecision* beta, const Integer* g_c) {
  gemm("ga_dgemm", transa, transb, m, n, k, *alpha, g_a, g_b, *beta, g_c);
}

void ga_cgemm_(const char* transa, const char* transb, const Integer* m, const Integer* n,
               const Integer* k, const SingleComplex* alpha, const Integer* g_a, const Integer* g_b,
               const SingleComplex* beta, const Integer* g_c) {
  gemm("ga_cgemm", transa, transb, m, n, k, ga::number(*alpha), g_a, g_b, ga::number(*beta), g_c);
}

void ga_zgemm_(const char* transa, const char* transb, const Integer* m, const Integer* n,
               const Integer* k, const DoubleComplex* alpha, const Integer* g_a, const Integer* g_b,
               const DoubleComplex* beta, const Integer* g_c) {
  gemm("ga_zgemm", transa, transb, m, n, k, ga::number(*alpha), g_a, g_b, ga::number(*beta), g_c);
}

void ga_matmul_patch_(const char* transa, const char* transb, const void* alpha, const void* beta,
                      const Integer* g_a, const Integer* ailo, const Integer* aihi,
                      const Integer* ajlo, const Integer* ajhi, const Integer* g_b,
                      const Integer* bilo, const Integer* bihi, const Integer* bjlo,
                      const Integer* bjhi, const Integer* g_c, const Integer* cilo,
                      const Integer* cihi, const Integer* cjlo, const Integer* cjhi) {
  multiply_patches("ga_matmul_patch", *transa, *transb, alpha, beta,
                   ga::MatrixPart{*g_a, *ailo, *aihi, *ajlo, *ajhi},
                   ga::MatrixPart{*g_b, *bilo, *bihi, *bjlo, *bjhi},
                   ga::MatrixPart{*g_c, *cilo, *cihi, *cjlo, *cjhi});
}
ATOLL_GA_ALSO(ga_matmul_, ga_matmul_patch_);

// The product of mirrored arrays, which every node forms by itself.
void ga_matmul_mirrored_(const char* transa, const char* transb, const void* alpha,
                         const void* beta, const Integer* g_a, const Integer* ailo,
                         const Integer* aihi, const Integer* ajlo, const Integer* ajhi,
                         const Integer* g_b, const Integer* bilo, const Integer* bihi,
                         const Integer* bjlo, const Integer* bjhi, const Integer* g_c,
                         const Integer* cilo, const Integer* cihi, const Integer* cjlo,
                         const Integer* cjhi) {
  compat::guarded("ga_matmul_mirrored", [&] {
    for (const Integer* g : {g_a, g_b, g_c}) ga::check_on_mirrored_group(ga::array_of(*g));
  });
  multiply_patches("ga_matmul_mirrored", *transa, *transb, alpha, beta,
                   ga::MatrixPart{*g_a, *ailo, *aihi, *ajlo, *ajhi},
                   ga::MatrixPart{*g_b, *bilo, *bihi, *bjlo, *bjhi},
                   ga::MatrixPart{*g_c, *cilo, *cihi, *cjlo, *cjhi});
}

void nga_matmul_patch_(const char* transa, const char* transb, const void* alpha, const void* beta,
                       const Integer* g_a, const Integer* alo, const Integer* ahi,
                       const Integer* g_b, const Integer* blo, const Integer* bhi,
                       const Integer* g_c, const Integer* clo, const Integer* chi) {
  multiply_patches(
      "nga_matmul_patch", *transa, *transb, alpha, beta, ga::Part<fortran, Integer>{*g_a, alo, ahi},
      ga::Part<fortran, Integer>{*g_b, blo, bhi}, ga::Part<fortran, Integer>{*g_c, clo, chi});
}
ATOLL_GA_ALSO(nga_matmul_patch_alt_, nga_matmul_patch_);

}  // extern "C"
