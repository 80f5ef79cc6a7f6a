// C names: products of matrices.

#include "compat/ga/algebra/complex_numbers.hpp"
#include "compat/ga/algebra/matmul.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;

namespace {

constexpr ga::Language c_language = ga::Language::c;

template <class T>
void gemm(const char* routine, char ta, char tb, const ga::ProductExtents& extents, T alpha,
          int g_a, int g_b, T beta, int g_c) {
  lagoon::atoll::compat::guarded(routine, [&] {
    ga::general_multiply<c_language>(ta, tb, extents, alpha, g_a, g_b, beta, g_c,
                                     element_type_of<T>());
  });
}

template <class I>
void multiply_patches(const char* routine, char transa, char transb, const void* alpha,
                      const void* beta, int g_a, const I* alo, const I* ahi, int g_b, const I* blo,
                      const I* bhi, int g_c, const I* clo, const I* chi) {
  lagoon::atoll::compat::guarded(routine, [&] {
    const auto bounds = [](int handle, const I* lo, const I* hi) {
      return ga::patch_of<c_language>(handle, lo, hi);
    };
    ga::multiply_patches<c_language>(alpha, {g_a, bounds(g_a, alo, ahi), transa},
                                     {g_b, bounds(g_b, blo, bhi), transb}, beta, g_c,
                                     bounds(g_c, clo, chi));
  });
}

/// A patch of a matrix as GA_Matmul_patch takes it, unlike NGA_Matmul_patch: rows and columns are
/// Fortran's, though they count from 0 (trap 2).
Patch column_major(std::int64_t ilo, std::int64_t ihi, std::int64_t jlo, std::int64_t jhi) {
  return {{jlo, ilo}, {jhi + 1, ihi + 1}};
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(void, GA_Sgemm,
              (char ta, char tb, Int m, Int n, Int k, float alpha, int g_a, int g_b, float beta,
               int g_c),
              gemm(__func__, ta, tb, {m, n, k}, alpha, g_a, g_b, beta, g_c));
ATOLL_GA_BOTH(void, GA_Dgemm,
              (char ta, char tb, Int m, Int n, Int k, double alpha, int g_a, int g_b, double beta,
               int g_c),
              gemm(__func__, ta, tb, {m, n, k}, alpha, g_a, g_b, beta, g_c));
ATOLL_GA_BOTH(void, GA_Cgemm,
              (char ta, char tb, Int m, Int n, Int k, SingleComplex alpha, int g_a, int g_b,
               SingleComplex beta, int g_c),
              gemm(__func__, ta, tb, {m, n, k}, ga::number(alpha), g_a, g_b, ga::number(beta),
                   g_c));
ATOLL_GA_BOTH(void, GA_Zgemm,
              (char ta, char tb, Int m, Int n, Int k, DoubleComplex alpha, int g_a, int g_b,
               DoubleComplex beta, int g_c),
              gemm(__func__, ta, tb, {m, n, k}, ga::number(alpha), g_a, g_b, ga::number(beta),
                   g_c));

ATOLL_GA_BOTH(void, NGA_Matmul_patch,
              (char transa, char transb, void* alpha, void* beta, int g_a, Int alo[], Int ahi[],
               int g_b, Int blo[], Int bhi[], int g_c, Int clo[], Int chi[]),
              multiply_patches(__func__, transa, transb, alpha, beta, g_a, alo, ahi, g_b, blo, bhi,
                               g_c, clo, chi));

void GA_Matmul_patch64(char transa, char transb, void* alpha, void* beta, int g_a, int64_t ailo,
                       int64_t aihi, int64_t ajlo, int64_t ajhi, int g_b, int64_t bilo,
                       int64_t bihi, int64_t bjlo, int64_t bjhi, int g_c, int64_t cilo,
                       int64_t cihi, int64_t cjlo, int64_t cjhi) {
  lagoon::atoll::compat::guarded("GA_Matmul_patch", [&] {
    ga::multiply_patches<ga::Language::fortran>(alpha,
                                                {g_a, column_major(ailo, aihi, ajlo, ajhi), transa},
                                                {g_b, column_major(bilo, bihi, bjlo, bjhi), transb},
                                                beta, g_c, column_major(cilo, cihi, cjlo, cjhi));
  });
}
void GA_Matmul_patch(char transa, char transb, void* alpha, void* beta, int g_a, int ailo, int aihi,
                     int ajlo, int ajhi, int g_b, int bilo, int bihi, int bjlo, int bjhi, int g_c,
                     int cilo, int cihi, int cjlo, int cjhi) {
  GA_Matmul_patch64(transa, transb, alpha, beta, g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo,
                    bjhi, g_c, cilo, cihi, cjlo, cjhi);
}

}  // extern "C"
