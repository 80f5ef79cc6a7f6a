// ga: products of matrices, linear systems and eigenvalues.
#include "ga_calls.hpp"

namespace bench {

namespace {

void time_products(Calls& calls) {
  constexpr int n = 512;
  const atoll::World& world = calls.world();
  Twins a(world, {n, n}), b(world, {n, n}), c(world, {n, n});
  double value = 0.5, one = 1.0, zero = 0.0;
  for (const Twins* const factor : {&a, &b}) GA_Fill(factor->handle, &value);
  for (Twins* const factor : {&a, &b}) atoll::fill(factor->array, value);
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
                    atoll::matmul(1.0, {a.array, patch}, {b.array, patch}, 0.0, c.array, patch);
                  })});
}

/// A symmetric matrix that is near one: solving again and again leaves right-hand sides as they
/// are, more or less.
struct System {
  static constexpr int n = 256;
  static constexpr int sides = 4;

  explicit System(const atoll::Group& group)
      : a(group, {n, n}), b(group, {sides, n}), c(group, {n, sides}) {
    double small = 1e-7, one = 1.0;
    GA_Fill(a.handle, &small);
    GA_Shift_diagonal(a.handle, &one);
    std::vector<double> all(std::size_t{n} * n);
    int lo[] = {0, 0}, hi[] = {n - 1, n - 1}, ld[] = {n};
    NGA_Get(a.handle, lo, hi, all.data(), ld);
    a.array.put(atoll::whole({n, n}), all.data());
    GA_Fill(b.handle, &one);
    atoll::fill(c.array, 1.0);
  }
  Twins a, b, c;  // right-hand sides: of GA, which counts rows as Fortran does, and of C++
};

void time_systems(Calls& calls) {
  System s(calls.world());
  const int g_a = s.a.handle, g_b = s.b.handle;
  atoll::Array<double> factor(calls.world(), {System::n, System::n});
  calls.together("GA_Lu_solve 256x256",
                 {way("GA_Lu_solve", [=] { GA_Lu_solve('n', g_a, g_b); }),
                  way("solve", [&] { atoll::solve(s.a.array, s.c.array, s.c.array); })});
  calls.together("GA_Llt_solve 256x256", {way("GA_Llt_solve", [=] { GA_Llt_solve(g_a, g_b); }),
                                          way("cholesky, cholesky_solve", [&] {
                                            atoll::cholesky(s.a.array, factor);
                                            atoll::cholesky_solve(factor, s.c.array, s.c.array);
                                          })});
}

void time_eigenvalues(Calls& calls) {
  constexpr int n = 128;
  Twins a(calls.world(), {n, n}), vectors(calls.world(), {n, n});
  std::vector<double> values(n), all(std::size_t{n} * n);
  double one = 1.0;
  GA_Randomize(a.handle, &one);
  GA_Symmetrize(a.handle);
  int lo[] = {0, 0}, hi[] = {n - 1, n - 1}, ld[] = {n};
  NGA_Get(a.handle, lo, hi, all.data(), ld);
  a.array.put(atoll::whole({n, n}), all.data());
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
