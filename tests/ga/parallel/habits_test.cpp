// What programs do because GA lets them, though its documentation promises less.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "ga_support.hpp"

extern "C" {
void nga_access_(const Integer* g_a, const Integer* lo, const Integer* hi, intp* index,
                 Integer* ld);
}

namespace {

TEST(GaHabits, ASingleRowNeedsNoLeadingDimension) {
  const std::vector<int> dims = {4, 6, 5};
  const int a = ga_test::create(C_DBL, dims);
  int lo[] = {2, 3, 0}, hi[] = {2, 3, 4};
  double row[5] = {1, 2, 3, 4, 5}, got[5] = {}, two = 2;
  for (int nonsense : {0, 1, -7}) {
    int ld[] = {nonsense, nonsense};
    if (GA_Nodeid() == 0) NGA_Put(a, lo, hi, row, ld);
    GA_Sync();
    NGA_Acc(a, lo, hi, row, ld, &two);
    GA_Sync();
    NGA_Get(a, lo, hi, got, ld);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(got[k], row[k] * (1 + 2 * GA_Nnodes()));
    GA_Sync();
  }
  GA_Destroy(a);
}

TEST(GaHabits, GroupsAreMadeByTheirMembersAlone) {
  const int n = GA_Nnodes(), me = GA_Nodeid();
  // Everybody a group with a neighbour, at the same time, with another list.
  int pair[] = {me / 2 * 2, me / 2 * 2 + 1};
  const int count = pair[1] < n ? 2 : 1;
  const int mine = GA_Pgroup_create(pair, count);
  EXPECT_EQ(GA_Pgroup_nnodes(mine), count);
  double sum = me;
  GA_Pgroup_dgop(mine, &sum, 1, "+");
  EXPECT_EQ(sum, count == 2 ? pair[0] + pair[1] : pair[0]);
  // One process alone.
  if (me == n - 1) {
    int list[] = {n - 1};
    const int alone = GA_Pgroup_create(list, 1);
    GA_Pgroup_sync(alone);
    const int self = GA_Pgroup_self();
    EXPECT_EQ(GA_Pgroup_absolute_id(self, 0), n - 1);
    GA_Pgroup_destroy(self);
    GA_Pgroup_destroy(alone);
  }
  GA_Sync();
  GA_Pgroup_destroy(mine);
}

TEST(GaHabits, ADefaultGroupMayBeOneOfOthers) {
  int list[] = {0};
  const int group = GA_Pgroup_create(list, 1), me = GA_Nodeid();
  GA_Pgroup_set_default(group);
  EXPECT_EQ(GA_Nodeid(), me == 0 ? 0 : -1);
  EXPECT_EQ(GA_Nnodes(), 1);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Sync();
  GA_Pgroup_destroy(group);
}

TEST(GaHabits, AnArrayInStepsLiesOnTheGroupThatIsTheDefaultWhenItIsAllocated) {
  const int half = GA_Pgroup_split_irreg(GA_Pgroup_get_world(), GA_Nodeid() % 2);
  const int a = GA_Create_handle();
  int dims[] = {8};
  GA_Set_data(a, 1, dims, C_INT);
  GA_Pgroup_set_default(half);
  EXPECT_EQ(GA_Allocate(a), 1);
  EXPECT_EQ(GA_Get_pgroup(a), half);
  GA_Destroy(a);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Sync();
  GA_Pgroup_destroy(half);
}

TEST(GaHabits, ProcessesThatAreNoneOwnNothing) {
  const int a = ga_test::create(C_DBL, {9, 9});
  for (const int process : {-1, GA_Nnodes(), 1000}) {
    int lo[2], hi[2];
    NGA_Distribution(a, process, lo, hi);
    EXPECT_EQ(lo[0], -1);
    EXPECT_EQ(hi[1], -2);
  }
  GA_Destroy(a);
}

TEST(GaHabits, NumbersAndNamesMayDifferFromProcessToProcess) {
  const std::string name = "of " + std::to_string(GA_Nodeid());
  const int a = ga_test::create(C_DBL, {6, 6}, name);
  EXPECT_EQ(GA_Inquire_name(a), name);
  double value = 3.0 + GA_Nodeid() * 1e-15, factor = 2.0;
  GA_Fill(a, &value);
  GA_Scale(a, &factor);
  for (const double element : ga_test::contents<double>(a, {6, 6}).data)
    EXPECT_NEAR(element, 6.0, 1e-13);
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaHabits, APatchIsCopiedOntoItself) {
  const int a = ga_test::create(C_INT, {5, 5});
  int nine = 9, lo[] = {1, 1}, hi[] = {3, 3};
  GA_Fill(a, &nine);
  NGA_Copy_patch('n', a, lo, hi, a, lo, hi);
  EXPECT_EQ(ga_test::contents<int>(a, {5, 5}).data, std::vector<int>(25, 9));
  GA_Sync();
  GA_Destroy(a);
}

TEST(GaHabits, ReductionsCompareThePartsOfComplexNumbers) {
  const int n = GA_Nnodes(), me = GA_Nodeid();
  DoubleComplex z = {1.0 * me, -2.0 * me};
  GA_Zgop(&z, 1, "absmax");
  EXPECT_EQ(z.real, n - 1);
  EXPECT_EQ(z.imag, 2.0 * (n - 1));
  SingleComplex c = {1.0F * static_cast<float>(me), -1.0F * static_cast<float>(me)};
  GA_Cgop(&c, 1, "min");
  EXPECT_EQ(c.real, 0);
  EXPECT_EQ(c.imag, 1.0F - static_cast<float>(n));
  char bits[] = {static_cast<char>(1 << me % 7), 0, 5};
  GA_Gop(C_CHAR, bits, 2, "or");
  EXPECT_EQ(bits[0], (1 << std::min(n, 7)) - 1);
  EXPECT_EQ(bits[1], 0);
  EXPECT_EQ(bits[2], 5);
}

TEST(GaHabits, ChunksDoNotTouchTheBlocksOfBlockCyclicArrays) {
  const int a = GA_Create_handle();
  int dims[] = {8, 8}, block[] = {3, 3}, chunk[] = {1, 1}, counts[2], sizes[2];
  GA_Set_data(a, 2, dims, C_DBL);
  GA_Set_block_cyclic(a, block);
  GA_Set_chunk(a, chunk);
  EXPECT_EQ(GA_Allocate(a), 1);
  GA_Get_block_info(a, counts, sizes);
  EXPECT_EQ(counts[0], 3);
  EXPECT_EQ(sizes[1], 3);
  GA_Destroy(a);
}

TEST(GaHabits, AVectorsLeadingDimensionInFortranIsTheLengthOfItsBlock) {
  const int n = GA_Nnodes(), a = ga_test::create(C_DBL, {7 * n});
  int lo = 0, hi = 0;
  NGA_Distribution(a, GA_Nodeid(), &lo, &hi);
  const Integer handle = a, first = lo + 2, last = hi + 1;
  Integer ld = -5;
  intp index = 0;
  nga_access_(&handle, &first, &last, &index, &ld);
  EXPECT_EQ(ld, hi - lo + 1);
  GA_Destroy(a);
}

TEST(GaHabits, ReleasingWhatIsGoneDoesNothing) {
  const int a = ga_test::create(C_DBL, {3});
  int at[] = {0};
  GA_Destroy(a);
  NGA_Release(a, at, at);
  NGA_Release_update(a, at, at);
}

TEST(GaHabits, TheExtremumOfComplexNumbersIsNanWhereOneIs) {
  const int a = ga_test::create(C_DCPL, {6});
  std::vector<std::complex<double>> values = {{1, 1}, {-9, 0},           {std::nan(""), 0},
                                              {2, 0}, {0, std::nan("")}, {3, 4}};
  int lo[] = {0}, hi[] = {5}, ld[] = {1};
  if (GA_Nodeid() == 0) NGA_Put(a, lo, hi, values.data(), ld);
  GA_Sync();
  for (const char* op : {"max", "min"}) {
    std::complex<double> found;
    int at[1] = {-1};
    NGA_Select_elem(a, const_cast<char*>(op), &found, at);
    EXPECT_TRUE(std::isnan(found.real())) << op;
    EXPECT_EQ(at[0], 2) << op;
  }
  GA_Destroy(a);
}

TEST(GaHabits, AbsmaxLeavesTheSmallestIntegerAsItIs) {
  int least = std::numeric_limits<int>::min();
  GA_Igop(&least, 1, const_cast<char*>("absmax"));
  EXPECT_EQ(least, std::numeric_limits<int>::min());
}

}  // namespace
