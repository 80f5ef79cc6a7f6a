// C names: algebra of whole matrices.

#include "atoll/matrix.hpp"
#include "compat/ga/algebra/matrix.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using ga::numbers;
using lagoon::atoll::compat::guarded;

namespace {

/// A call of a matrix and another, or a vector.
template <class Work>
void with_two(const char* routine, int g_a, int g_v, const Work& work) {
  guarded(routine, [&] { work(numbers(g_a).array, numbers(g_v).array); });
}

}  // namespace

extern "C" {

void GA_Transpose(int g_a, int g_b) { with_two("GA_Transpose", g_a, g_b, transpose); }

void GA_Symmetrize(int g_a) {
  guarded("GA_Symmetrize", [&] { ga::symmetrize_pairs(numbers(g_a).array); });
}

void GA_Get_diag(int g_a, int g_v) { with_two("GA_Get_diag", g_a, g_v, get_diagonal); }
void GA_Set_diagonal(int g_a, int g_v) { with_two("GA_Set_diagonal", g_a, g_v, set_diagonal); }
void GA_Add_diagonal(int g_a, int g_v) { with_two("GA_Add_diagonal", g_a, g_v, add_diagonal); }

void GA_Zero_diagonal(int g_a) {
  guarded("GA_Zero_diagonal", [&] { fill_diagonal(numbers(g_a).array, 0); });
}

void GA_Shift_diagonal(int g_a, void* c) {
  guarded("GA_Shift_diagonal", [&] {
    const MutableView a = numbers(g_a);
    shift_diagonal(a.array, ga::number_for(a, c));
  });
}

void GA_Scale_rows(int g_a, int g_v) { with_two("GA_Scale_rows", g_a, g_v, scale_rows); }
void GA_Scale_cols(int g_a, int g_v) { with_two("GA_Scale_cols", g_a, g_v, scale_columns); }

void GA_Norm1(int g_a, double* nm) {
  guarded("GA_Norm1", [&] { *nm = ga::sum_norm(numbers(g_a)); });
}
void GA_Norm_infinity(int g_a, double* nm) {
  guarded("GA_Norm_infinity", [&] { *nm = ga::largest_norm(numbers(g_a)); });
}

}  // extern "C"
