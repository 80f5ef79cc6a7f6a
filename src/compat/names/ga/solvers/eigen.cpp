// Fortran names of eigenvalues by the ScaLAPACK routines they were made for. Which algorithm works
// is Atoll's choice: all give all eigenvalues, ascending, and eigenvectors. `nb8` is the extent of
// blocks that the program wishes, or 0. A Hermitian matrix is two arrays, and so are its vectors:
// g(1) is the real part, g(2) the imaginary one.
#include "compat/failure.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/ga/solvers/systems.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;

namespace {

void diagonalize(const char* routine, const Integer* g_a, const Integer* g_b, void* eval,
                 const Integer* block) {
  guarded(routine, [&] { ga::diagonalize(*g_a, *g_b, eval, *block); });
}

void diagonalize_hermitian(const char* routine, const Integer* g_a, const Integer* g_b,
                           double* eval, const Integer* block) {
  guarded(routine, [&] { ga::diagonalize({g_a[0], g_a[1]}, {g_b[0], g_b[1]}, eval, *block); });
}

/// How many eigenvalues were found: all.
Integer order_of(const Integer* g_a) { return static_cast<Integer>(ga::array_of(*g_a).shape()[0]); }

}  // namespace

extern "C" {

void ga_pdsyev_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8) {
  diagonalize("ga_pdsyev", g_a, g_b, eval, nb8);
}

void ga_pdsyevd_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8) {
  diagonalize("ga_pdsyevd", g_a, g_b, eval, nb8);
}

void ga_pdsyevr_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8,
                 Integer* mout) {
  diagonalize("ga_pdsyevr", g_a, g_b, eval, nb8);
  *mout = order_of(g_a);
}

void ga_pdsyevx_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8) {
  diagonalize("ga_pdsyevx", g_a, g_b, eval, nb8);
}

void ga_pzheevd_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8) {
  diagonalize_hermitian("ga_pzheevd", g_a, g_b, eval, nb8);
}

void ga_pzheevr_(const Integer* g_a, const Integer* g_b, double* eval, const Integer* nb8,
                 Integer* mout) {
  diagonalize_hermitian("ga_pzheevr", g_a, g_b, eval, nb8);
  *mout = order_of(g_a);
}

void ga_pdsygv_(const Integer* g_a, const Integer* g_s, const Integer* g_b, double* eval) {
  guarded("ga_pdsygv", [&] { ga::diagonalize(*g_a, *g_s, *g_b, eval); });
}

}  // extern "C"
