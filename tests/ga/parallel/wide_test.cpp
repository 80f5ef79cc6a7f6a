// The names that take 64-bit indices, and fields of registered types.
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>

#include "ga_support.hpp"

extern "C" {
void nga_inquire_(const Integer* g_a, Integer* type, Integer* ndim, Integer* dims);
}

namespace {

TEST(GaWide, InquiriesAnswerAsTheNarrowOnesDo) {
  int64_t dims[] = {9, 14}, chunk[] = {9, -1};
  const int a = NGA_Create_config64(C_LONG, 2, dims, "wide", chunk, GA_Pgroup_get_world());
  int64_t found[2] = {}, lo[2], hi[2], at[] = {4, 11}, map[64], from[] = {1, 2}, to[] = {7, 12};
  int type = 0, ndim = 0, nlo[2], nhi[2], nat[] = {4, 11}, nfrom[] = {1, 2}, nto[] = {7, 12};
  NGA_Inquire64(a, &type, &ndim, found);
  EXPECT_EQ(type, C_LONG);
  EXPECT_EQ(found[1], 14);
  for (int p = 0; p < GA_Nnodes(); ++p) {
    NGA_Distribution64(a, p, lo, hi);
    NGA_Distribution(a, p, nlo, nhi);
    for (int d = 0; d < 2; ++d) EXPECT_TRUE(lo[d] == nlo[d] && hi[d] == nhi[d]);
  }
  EXPECT_EQ(NGA_Locate64(a, at), NGA_Locate(a, nat));
  int processes[16], nprocesses[16], nmap[64];
  const int parts = NGA_Locate_region(a, nfrom, nto, nmap, nprocesses);
  EXPECT_EQ(NGA_Locate_region64(a, from, to, map, processes), parts);
  EXPECT_EQ(NGA_Locate_nnodes64(a, from, to), parts);
  for (int k = 0; k < 4 * parts; ++k) EXPECT_EQ(map[k], nmap[k]);
  for (int k = 0; k < parts; ++k) EXPECT_EQ(processes[k], nprocesses[k]);
  GA_Destroy(a);
}

TEST(GaWide, TransfersMoveTheSameElements) {
  const std::vector<int> dims = {10, 8};
  const int a = ga_test::create(C_LONG, dims), n = GA_Nnodes(), me = GA_Nodeid();
  int64_t lo[] = {2, 1}, hi[] = {6, 5}, ld[] = {5}, skip[] = {2, 2}, one[] = {1};
  std::vector<long> values(25), got(25);
  std::iota(values.begin(), values.end(), 1);
  long two = 2, three = 3;
  if (me == 0) NGA_Put64(a, lo, hi, values.data(), ld);
  GA_Sync();
  NGA_Acc64(a, lo, hi, values.data(), ld, &two);
  ga_nbhdl_t handle = 0;
  NGA_NbAcc64(a, lo, hi, values.data(), ld, &three, &handle);
  NGA_NbWait(&handle);
  GA_Sync();
  NGA_Get64(a, lo, hi, got.data(), ld);
  for (std::size_t k = 0; k < 25; ++k) EXPECT_EQ(got[k], (1 + 5 * n) * values[k]);
  GA_Sync();
  if (me == n - 1) {
    NGA_NbPut64(a, lo, hi, values.data(), ld, &handle);
    NGA_NbWait(&handle);
    NGA_Strided_put64(a, lo, hi, skip, values.data(), ld);
    NGA_Strided_acc64(a, lo, hi, skip, values.data(), ld, &two);
  }
  GA_Sync();
  std::ranges::fill(got, 0);
  NGA_NbGet64(a, lo, hi, got.data(), ld, &handle);
  NGA_NbWait(&handle);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      const bool stepped = i % 2 == 0 && j % 2 == 0;
      const long expected = stepped ? 3L * (1 + 5 * (i / 2) + j / 2) : 1L + 5 * i + j;
      EXPECT_EQ(got[static_cast<std::size_t>(5 * i + j)], expected);
    }
  GA_Sync();
  int64_t at[] = {9, 7};
  (void)NGA_Read_inc64(a, at, 5);
  GA_Sync();
  NGA_Get64(a, at, at, got.data(), one);
  EXPECT_EQ(got[0], 5 * n);
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaWide, ScatteredElementsAndPointersAreTheSame) {
  const std::vector<int> dims = {7, 7};
  const int a = ga_test::create(C_DBL, dims), n = GA_Nnodes();
  int64_t flat[] = {0, 6, 3, 3, 6, 0};
  int64_t* pointers[] = {flat, flat + 2, flat + 4};
  int narrow[] = {0, 6, 3, 3, 6, 0};
  int* narrow_pointers[] = {narrow, narrow + 2, narrow + 4};
  double values[] = {1, 2, 3}, got[3] = {}, half = 0.5;
  NGA_Alloc_gatscat_buf(3);
  if (GA_Nodeid() == 0) {
    NGA_Scatter64(a, values, pointers, 3);
    NGA_Scatter_flat64(a, values, flat, 3);
    NGA_Scatter_flat(a, values, narrow, 3);
  }
  GA_Sync();
  NGA_Scatter_acc64(a, values, pointers, 3, &half);
  NGA_Scatter_acc_flat64(a, values, flat, 3, &half);
  NGA_Scatter_acc(a, values, narrow_pointers, 3, &half);
  GA_Sync();
  for (int way = 0; way < 2; ++way) {
    if (way == 0) NGA_Gather64(a, got, pointers, 3);
    if (way == 1) NGA_Gather_flat64(a, got, flat, 3);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(got[k], values[k] * (1 + 1.5 * n));
  }
  NGA_Free_gatscat_buf();
  GA_Sync();
  int64_t lo[2], hi[2], ld[1];
  NGA_Distribution64(a, GA_Nodeid(), lo, hi);
  if (lo[0] >= 0) {
    double* data = nullptr;
    NGA_Access64(a, lo, hi, &data, ld);
    *data = 77;
    NGA_Release_update64(a, lo, hi);
    NGA_Get64(a, lo, lo, got, ld);
    EXPECT_EQ(got[0], 77);
    NGA_Release64(a, lo, hi);
  }
  GA_Sync();
  GA_Destroy(a);
}

/// A program's own element.
struct Particle {
  double mass;
  char name[5];
  int charge;
};

TEST(GaRegisteredTypes, MoveWholeAndByFields) {
  const int type = NGA_Register_type(sizeof(Particle));
  EXPECT_EQ(type, MT_LAST + 1);
  const int n = GA_Nnodes(), me = GA_Nodeid();
  const int a = ga_test::create(type, {4 * n, 3});
  int found = 0, ndim = 0, dims[2] = {};
  NGA_Inquire(a, &found, &ndim, dims);
  EXPECT_EQ(found, type);
  EXPECT_EQ(dims[1], 3);
  std::vector<Particle> mine(12), got(12);
  for (int k = 0; k < 12; ++k) mine[static_cast<std::size_t>(k)] = {1.5 * k + me, "C", k - me};
  int lo[] = {4 * me, 0}, hi[] = {4 * me + 3, 2}, ld[] = {3};
  NGA_Put(a, lo, hi, mine.data(), ld);
  GA_Sync();
  const int next = (me + 1) % n;
  int nlo[] = {4 * next, 0}, nhi[] = {4 * next + 3, 2};
  NGA_Get(a, nlo, nhi, got.data(), ld);
  for (int k = 0; k < 12; ++k) {
    EXPECT_EQ(got[static_cast<std::size_t>(k)].mass, 1.5 * k + next);
    EXPECT_EQ(got[static_cast<std::size_t>(k)].charge, k - next);
  }
  GA_Sync();
  std::vector<int> charges(12, 40 + me), read(12);
  const int where = offsetof(Particle, charge);
  ga_nbhdl_t handle = 0;
  NGA_Put_field(a, lo, hi, where, sizeof(int), charges.data(), ld);
  NGA_Nbput_field(a, lo, lo, where, sizeof(int), &charges[0], ld, &handle);
  NGA_NbWait(&handle);
  GA_Sync();
  NGA_Get_field(a, nlo, nhi, where, sizeof(int), read.data(), ld);
  EXPECT_EQ(read, std::vector<int>(12, 40 + next));
  NGA_Nbget_field(a, nlo, nlo, where, sizeof(int), read.data(), ld, &handle);
  NGA_NbWait(&handle);
  NGA_Get(a, nlo, nhi, got.data(), ld);
  EXPECT_EQ(got[5].mass, 1.5 * 5 + next);
  EXPECT_EQ(got[5].charge, 40 + next);
  GA_Sync();
  int subscript[] = {4 * next, 1};
  Particle one{};
  NGA_Gather_flat(a, &one, subscript, 1);
  EXPECT_EQ(one.mass, 1.5 + next);
  GA_Sync();
  GA_Destroy(a);
  EXPECT_EQ(NGA_Deregister_type(type), 0);
  EXPECT_NE(NGA_Deregister_type(type), 0);
}

TEST(GaChars, AndLongDoublesMoveLikeNumbers) {
  const std::vector<int> dims = {5, 9};
  const int letters = ga_test::create(C_CHAR, dims), wide = ga_test::create(C_LDBL, dims);
  ga_test::Model<char> text{dims};
  ga_test::Model<long double> numbers{dims};
  for (std::size_t k = 0; k < 45; ++k) {
    text.data[k] = static_cast<char>('A' + k % 26);
    numbers.data[k] = 1.0L / static_cast<long double>(k + 1);
  }
  ga_test::Box all = ga_test::whole(dims);
  std::vector<int> ld = ga_test::leading(all);
  if (GA_Nodeid() == 0) {
    NGA_Put(letters, all.lo.data(), all.hi.data(), text.data.data(), ld.data());
    NGA_Put(wide, all.lo.data(), all.hi.data(), numbers.data.data(), ld.data());
  }
  GA_Sync();
  EXPECT_EQ(ga_test::contents<char>(letters, dims).data, text.data);
  EXPECT_EQ(ga_test::contents<long double>(wide, dims).data, numbers.data);
  GA_Sync();
  GA_Destroy(letters);
  GA_Destroy(wide);
}

TEST(GaTypes, FortranHasNoneForIntegersOfAnotherSize) {
  const int a = ga_test::create(C_INT, {4}), b = ga_test::create(C_LONG, {4});
  const Integer handles[] = {a, b};
  Integer type = 0, ndim = 0, dims[1] = {};
  nga_inquire_(&handles[0], &type, &ndim, dims);
  EXPECT_EQ(type, sizeof(Integer) == sizeof(int) ? MT_F_INT : -1);
  nga_inquire_(&handles[1], &type, &ndim, dims);
  EXPECT_EQ(type, sizeof(Integer) == sizeof(long) ? MT_F_INT : -1);
  GA_Destroy(a);
  GA_Destroy(b);
}

TEST(GaWide, IncrementsBeyondTwoToThe31AreNotCut) {
  const int a = ga_test::create(C_LONG, {1});
  int at[] = {0};
  const long step = 1L << 40;
  const long before = NGA_Read_inc(a, at, step);
  EXPECT_TRUE(before % step == 0 && before / step < GA_Nnodes());
  GA_Sync();
  EXPECT_EQ(NGA_Read_inc(a, at, 0), step * GA_Nnodes());
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaAccess, ReachesTheMemoryOfAllProcessesOfTheNode) {
  const int n = GA_Nnodes(), a = ga_test::create(C_INT, {3 * n});
  int lo = 0, hi = 0, ld = 0;
  NGA_Distribution(a, GA_Nodeid(), &lo, &hi);
  int* data = nullptr;
  NGA_Access(a, &lo, &hi, &data, &ld);
  for (int k = 0; k <= hi - lo; ++k) data[k] = 100 * GA_Nodeid() + k;
  GA_Sync();
  for (int p = 0; p < n; ++p) {
    if (GA_Cluster_proc_nodeid(p) != GA_Cluster_nodeid()) continue;
    NGA_Distribution(a, p, &lo, &hi);
    NGA_Access(a, &lo, &hi, &data, &ld);
    for (int k = 0; k <= hi - lo; ++k) EXPECT_EQ(data[k], 100 * p + k);
  }
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaEnvironment, TellsTimeAndDrawsNumbers) {
  const double before = GA_Wtime();
  EXPECT_GE(GA_Wtime(), before);
  (void)GA_Rand(17);
  const double first = GA_Rand(0);
  EXPECT_TRUE(first >= 0 && first < 1);
  (void)GA_Rand(17);
  EXPECT_EQ(GA_Rand(0), first);
  GA_Set_debug(1);
  EXPECT_EQ(GA_Get_debug(), 1);
  GA_Set_debug(0);
  EXPECT_EQ(GA_Get_debug(), 0);
  std::vector<int> list(static_cast<std::size_t>(GA_Nnodes()));
  GA_List_nodeid(list.data(), GA_Nnodes());
  EXPECT_EQ(list.back(), GA_Nnodes() - 1);
}

}  // namespace
