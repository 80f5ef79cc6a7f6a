// The solvers' Fortran names.
#include "compat/fortran.hpp"

#include "compat/failure.hpp"
#include "compat/ga/solvers/factors.hpp"
#include "compat/ga/solvers/systems.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
using compat::TextLength;

extern "C" {

void ga_diag_(const Integer* g_a, const Integer* g_s, const Integer* g_v, void* eval) {
  guarded("ga_diag", [&] { ga::diagonalize(*g_a, *g_s, *g_v, eval); });
}

void ga_diag_seq_(const Integer* g_a, const Integer* g_s, const Integer* g_v, void* eval) {
  guarded("ga_diag_seq", [&] { ga::diagonalize(*g_a, *g_s, *g_v, eval, Triangle::upper); });
}

// The factors of g_s are not kept: a negative `reuse` asks to forget them, and no more.
void ga_diag_reuse_(const Integer* reuse, const Integer* g_a, const Integer* g_s,
                    const Integer* g_v, void* eval) {
  if (*reuse < 0) return;
  guarded("ga_diag_reuse", [&] { ga::diagonalize(*g_a, *g_s, *g_v, eval); });
}

void ga_diag_std_(const Integer* g_a, const Integer* g_v, void* eval) {
  guarded("ga_diag_std", [&] { ga::diagonalize(*g_a, *g_v, eval); });
}

void ga_diag_std_seq_(const Integer* g_a, const Integer* g_v, void* eval) {
  guarded("ga_diag_std_seq", [&] { ga::diagonalize(*g_a, *g_v, eval); });
}

Integer ga_llt_solve_(const Integer* g_a, const Integer* g_b) {
  return guarded("ga_llt_solve", [&] { return ga::solve_definite(*g_a, *g_b); });
}
ATOLL_GA_ALSO(nga_llt_solve_, ga_llt_solve_);

Integer ga_solve_(const Integer* g_a, const Integer* g_b) {
  return guarded("ga_solve", [&] { return ga::solve_any(*g_a, *g_b); });
}
ATOLL_GA_ALSO(nga_solve_, ga_solve_);

Integer ga_spd_invert_(const Integer* g_a) {
  return guarded("ga_spd_invert", [&] { return ga::invert_definite(*g_a); });
}
ATOLL_GA_ALSO(nga_spd_invert_, ga_spd_invert_);

void ga_lu_solve_(const char* trans, const Integer* g_a, const Integer* g_b, TextLength) {
  guarded("ga_lu_solve", [&] { ga::solve_lu(*trans, *g_a, *g_b); });
}

void ga_lu_solve_seq_(const char* trans, const Integer* g_a, const Integer* g_b, TextLength) {
  guarded("ga_lu_solve_seq", [&] { ga::solve_lu(*trans, *g_a, *g_b); });
}

void ga_lu_solve_alt_(const Integer* transposed, const Integer* g_a, const Integer* g_b) {
  guarded("ga_lu_solve_alt", [&] { ga::solve_lu(*transposed != 0 ? 'T' : 'N', *g_a, *g_b); });
}

Integer ga_cholesky_(const char* uplo, const Integer* g_a, TextLength) {
  return guarded("ga_cholesky", [&] { return ga::factorize(*uplo, *g_a); });
}

void ga_zeroul_(const char* uplo, const Integer* g_a, TextLength) {
  guarded("ga_zeroul", [&] { ga::keep_triangle(*uplo, *g_a); });
}

Integer ga_llt_f_(const char* uplo, const Integer* g_a, Integer* factor, TextLength) {
  return guarded("ga_llt_f", [&] {
    std::int64_t number = ga::factor_in_array;
    const int info = ga::make_factor(*uplo, *g_a, number);
    if (info == 0) *factor = static_cast<Integer>(number);
    return info;
  });
}

void ga_llt_s_(const char* uplo, const Integer* g_a, const Integer* g_b, const Integer* factor,
               TextLength) {
  guarded("ga_llt_s", [&] { ga::solve_with_factor(*uplo, *g_a, *g_b, *factor); });
}

Integer ga_llt_i_(const char* uplo, const Integer* g_a, const Integer* factor, TextLength) {
  return guarded("ga_llt_i", [&] { return ga::invert_with_factor(*uplo, *g_a, *factor); });
}

}  // extern "C"
