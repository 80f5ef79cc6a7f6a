// ga: products of matrices, linear systems and eigenvalues.
#include "ga_calls.hpp"

namespace bench {

namespace {

void time_products(Calls& calls) {
  constexpr int n = 512;
  GaArray a({n, n}), b({n, n}), c({n, n});
  double value = 0.5, one = 1.0, zero = 0.0;
  for (const GaArray* const factor : {&a, &b}) GA_Fill(factor->handle, &value);
  calls.together("GA_Dgemm 512x512",
                 {way("GA_Dgemm",
                      [&] { GA_Dgemm('n', 'n', n, n, n, 1.0, a.handle, b.handle, 0.0, c.handle); }),
                  way("matmul", [&] { atoll::matmul(1.0, a.array, b.array, 0.0, c.array); })});
  int lo[] = {56, 56}, hi[] = {455, 455};
  const atoll::Patch patch{{56, 56}, {456, 456}};
  calls.together("NGA_Matmul_patch 400x400",
                 {way("NGA_Matmul_patch",
                      [&] {
                        NGA_Matmul_patch('n', 'n', &one, &zero, a.handle, lo, hi, b.handle, lo, hi,
                                         c.handle, lo, hi);
                      }),
                  way("matmul", [&] {
                    atoll::matmul(1.0, {a.array, patch}, {b.array, patch}, 0.0, {c.array, patch});
                  })});
}

/// A symmetric matrix that is near one: solving again and again leaves right-hand sides as they
/// are, more or less.
struct System {
  static constexpr int n = 256;
  static constexpr int sides = 4;

  System() {
    double small = 1e-7, one = 1.0;
    GA_Fill(a.handle, &small);
    GA_Shift_diagonal(a.handle, &one);
    GA_Fill(rows.handle, &one);
    GA_Fill(columns.handle, &one);
  }
  GaArray a{{n, n}};
  GaArray rows{{sides, n}};     // right-hand sides of GA, which sees matrices as Fortran does
  GaArray columns{{n, sides}};  // those of C++
};

void time_systems(Calls& calls) {
  System s;
  const int g_a = s.a.handle, g_b = s.rows.handle;
  const atoll::AnyArray& a = s.a.array;
  atoll::AnyArray& x = s.columns.array;
  calls.together("GA_Lu_solve 256x256", {way("GA_Lu_solve", [=] { GA_Lu_solve('n', g_a, g_b); }),
                                         way("solve", [&] { atoll::solve(a, x, x); })});
  calls.together("GA_Llt_solve 256x256", {way("GA_Llt_solve", [=] { GA_Llt_solve(g_a, g_b); }),
                                          way("cholesky, cholesky_solve", [&] {
                                            atoll::AnyArray factor = a.duplicate({}, false);
                                            atoll::cholesky(a, factor);
                                            atoll::cholesky_solve(factor, x, x);
                                          })});
}

void time_eigenvalues(Calls& calls) {
  constexpr int n = 128;
  GaArray a({n, n}), vectors({n, n});
  std::vector<double> values(n);
  double one = 1.0;
  GA_Randomize(a.handle, &one);
  GA_Symmetrize(a.handle);
  calls.together("GA_Diag_std 128x128",
                 {way("GA_Diag_std", [&] { GA_Diag_std(a.handle, vectors.handle, values.data()); }),
                  way("eigh", [&] { (void)atoll::eigh(a.array, vectors.array); })});
}

}  // namespace

void ga_matrices(Calls& calls) {
  time_products(calls);
  time_systems(calls);
  time_eigenvalues(calls);
}

}  // namespace bench
