// Fortran names: algebra of whole matrices.

#include "compat/ga/algebra/matrix.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;

namespace {

int handle(const Integer* g) { return static_cast<int>(*g); }

}  // namespace

extern "C" {

void ga_add_diagonal_(const Integer* g_a, const Integer* g_v) {
  GA_Add_diagonal(handle(g_a), handle(g_v));
}
ATOLL_GA_ALSO(nga_add_diagonal_, ga_add_diagonal_);

void ga_get_diag_(const Integer* g_a, const Integer* g_v) { GA_Get_diag(handle(g_a), handle(g_v)); }
ATOLL_GA_ALSO(nga_get_diag_, ga_get_diag_);

void ga_set_diagonal_(const Integer* g_a, const Integer* g_v) {
  GA_Set_diagonal(handle(g_a), handle(g_v));
}
ATOLL_GA_ALSO(nga_set_diagonal_, ga_set_diagonal_);

void ga_transpose_(const Integer* g_a, const Integer* g_b) {
  GA_Transpose(handle(g_a), handle(g_b));
}
ATOLL_GA_ALSO(nga_transpose_, ga_transpose_);

void ga_symmetrize_(const Integer* g_a) { GA_Symmetrize(handle(g_a)); }
ATOLL_GA_ALSO(nga_symmetrize_, ga_symmetrize_);

void ga_zero_diagonal_(const Integer* g_a) { GA_Zero_diagonal(handle(g_a)); }
ATOLL_GA_ALSO(nga_zero_diagonal_, ga_zero_diagonal_);

void ga_shift_diagonal_(const Integer* g_a, void* c) { GA_Shift_diagonal(handle(g_a), c); }
ATOLL_GA_ALSO(nga_shift_diagonal_, ga_shift_diagonal_);

void ga_norm1_(const Integer* g_a, double* nm) { GA_Norm1(handle(g_a), nm); }
ATOLL_GA_ALSO(nga_norm1_, ga_norm1_);

void ga_norm_infinity_(const Integer* g_a, double* nm) { GA_Norm_infinity(handle(g_a), nm); }
ATOLL_GA_ALSO(nga_norm_infinity_, ga_norm_infinity_);

// Fortran's rows are C's columns (measured).
void ga_scale_rows_(const Integer* g_a, const Integer* g_v) {
  GA_Scale_cols(handle(g_a), handle(g_v));
}
ATOLL_GA_ALSO(nga_scale_rows_, ga_scale_rows_);

void ga_scale_cols_(const Integer* g_a, const Integer* g_v) {
  GA_Scale_rows(handle(g_a), handle(g_v));
}
ATOLL_GA_ALSO(nga_scale_cols_, ga_scale_cols_);

void ga_symul_(const char* uplo, const Integer* g_a) {
  lagoon::atoll::compat::guarded(
      "ga_symul", [&] { ga::complete_from_triangle(ga::numbers(*g_a).array, *uplo); });
}

}  // extern "C"
