// Several threads of each process in one-sided calls at once, as hybrid programs make them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ga/typesf2c.h"
#include "ga_support.hpp"

#ifdef ATOLL_TEST_FORTRAN
extern "C" void threads_in_fortran_(Integer* line, Integer* made);
#endif

namespace {

constexpr int threads = 3;

template <class Work>
void in_threads(Work&& work) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
  for (std::thread& one : all) one.join();
}

// Threads draw pieces of one array from a counter: each piece is somebody else's than the last one.
TEST(GaThreads, DrawPiecesFromACounterAndPutEachWhereItBelongs) {
  constexpr int n = 64, width = 8, pieces = n * n / width;
  const int a = ga_test::create(C_INT, {n, n});
  const int next = ga_test::create(C_LONG, {1});
  std::atomic<int> drawn{0}, wrong{0};
  for (int round = 0; round < 3; ++round) {
    GA_Zero(a);
    GA_Zero(next);
    in_threads([&](int) {
      int first[] = {0}, ld[] = {width};
      for (long piece; (piece = NGA_Read_inc(next, first, 1)) < pieces;) {
        ++drawn;
        const int row = static_cast<int>(piece * width / n);
        const int column = static_cast<int>(piece * width % n);
        int lo[] = {row, column}, hi[] = {row, column + width - 1};
        int values[width], got[width];
        for (int k = 0; k < width; ++k) values[k] = row * n + column + k;
        NGA_Put(a, lo, hi, values, ld);
        NGA_Get(a, lo, hi, got, ld);
        for (int k = 0; k < width; ++k) wrong += got[k] != values[k];
      }
    });
    GA_Sync();
    int lo[] = {0, 0}, hi[] = {n - 1, n - 1}, ld[] = {n};
    std::vector<int> whole(static_cast<std::size_t>(n) * n);
    NGA_Get(a, lo, hi, whole.data(), ld);
    for (int i = 0; i < n * n; ++i) wrong += whole[static_cast<std::size_t>(i)] != i;
    GA_Sync();
  }
  EXPECT_EQ(wrong, 0);
  long total = drawn;
  char sum[] = "+";
  GA_Lgop(&total, 1, sum);
  EXPECT_EQ(total, 3L * pieces);  // each once
  GA_Destroy(next);
  GA_Destroy(a);
}

TEST(GaThreads, AccumulateAndWaitForHandlesOfTheirOwn) {
  constexpr int n = 96, rounds = 20;
  const int a = ga_test::create(C_DBL, {n});
  GA_Zero(a);
  in_threads([&](int) {
    int lo[] = {0}, hi[] = {n - 1}, ld[] = {n};
    std::vector<double> ones(n, 1.0), got(n);
    double two = 2;
    for (int round = 0; round < rounds; ++round) {
      ga_nbhdl_t sum, copy;
      NGA_NbAcc(a, lo, hi, ones.data(), ld, &two, &sum);
      NGA_NbWait(&sum);
      NGA_NbGet(a, lo, hi, got.data(), ld, &copy);
      NGA_NbWait(&copy);
      NGA_Acc(a, lo, hi, ones.data(), ld, &two);
    }
  });
  GA_Sync();
  int lo[] = {0}, hi[] = {n - 1}, ld[] = {n};
  std::vector<double> whole(n);
  NGA_Get(a, lo, hi, whole.data(), ld);
  for (const double value : whole) ASSERT_EQ(value, 4.0 * rounds * threads * GA_Nnodes());
  GA_Sync();
  GA_Destroy(a);
}

#ifdef ATOLL_TEST_FORTRAN
TEST(GaThreads, OfFortranByOpenMpPutGetAndAccumulateAtOnce) {
  Integer line = -1, made = 0;
  threads_in_fortran_(&line, &made);
  EXPECT_EQ(line, 0) << "of threads_program.F90";
  if (made == 1) GTEST_SKIP() << "no OpenMP, or one thread alone";
}
#endif

}  // namespace
