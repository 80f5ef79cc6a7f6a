// The solvers' C names. Matrices are meant as Fortran sees them.
#include "compat/failure.hpp"
#include "compat/ga/solvers/systems.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;

extern "C" {

void GA_Diag(int g_a, int g_s, int g_v, void* eval) {
  guarded("GA_Diag", [&] { ga::diagonalize(g_a, g_s, g_v, eval); });
}

// The factors of g_s are not kept: a negative `reuse` asks to forget them, and no more.
void GA_Diag_reuse(int reuse, int g_a, int g_s, int g_v, void* eval) {
  if (reuse < 0) return;
  guarded("GA_Diag_reuse", [&] { ga::diagonalize(g_a, g_s, g_v, eval); });
}

void GA_Diag_seq(int g_a, int g_s, int g_v, void* eval) {
  guarded("GA_Diag_seq", [&] { ga::diagonalize(g_a, g_s, g_v, eval, Triangle::upper); });
}

void GA_Diag_std(int g_a, int g_v, void* eval) {
  guarded("GA_Diag_std", [&] { ga::diagonalize(g_a, g_v, eval); });
}

void GA_Diag_std_seq(int g_a, int g_v, void* eval) {
  guarded("GA_Diag_std_seq", [&] { ga::diagonalize(g_a, g_v, eval); });
}

int GA_Llt_solve(int g_a, int g_b) {
  return guarded("GA_Llt_solve", [&] { return ga::solve_definite(g_a, g_b); });
}

void GA_Lu_solve(char tran, int g_a, int g_b) {
  guarded("GA_Lu_solve", [&] { ga::solve_lu(tran, g_a, g_b); });
}

int GA_Solve(int g_a, int g_b) {
  return guarded("GA_Solve", [&] { return ga::solve_any(g_a, g_b); });
}

int GA_Spd_invert(int g_a) {
  return guarded("GA_Spd_invert", [&] { return ga::invert_definite(g_a); });
}

}  // extern "C"
