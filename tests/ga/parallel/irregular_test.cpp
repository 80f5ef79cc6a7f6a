// Given boundaries, restricted owners and properties.
#include <gtest/gtest.h>

#include "ga_support.hpp"

using ga_test::Box;

namespace {

Box block_of(int handle, int process) {
  Box box{{0, 0}, {0, 0}};
  NGA_Distribution(handle, process, box.lo.data(), box.hi.data());
  return box;
}

bool nothing(const Box& box) { return box.lo[0] > box.hi[0] || box.lo[1] > box.hi[1]; }

/// Writes the whole array from one process and reads it on all.
void round_trip(int handle, const std::vector<int>& dims) {
  ga_test::Model<double> model{dims};
  std::iota(model.data.begin(), model.data.end(), 1.0);
  Box all = ga_test::whole(dims);
  std::vector<int> ld = ga_test::leading(all);
  if (GA_Nodeid() == 0) NGA_Put(handle, all.lo.data(), all.hi.data(), model.data.data(), ld.data());
  GA_Sync();
  EXPECT_EQ(ga_test::contents<double>(handle, dims).data, model.data);
  GA_Sync();
}

TEST(GaIrregular, BoundariesAreThoseGiven) {
  const int n = GA_Nnodes();
  std::vector<int> dims{3 * n + 2, 7}, blocks{n, 1}, map;
  for (int p = 0; p < n; ++p) map.push_back(p == 0 ? 0 : 3 * p - 1);
  map.push_back(0);
  const int handle = NGA_Create_irreg(C_DBL, 2, dims.data(), "rows", blocks.data(), map.data());
  for (int p = 0; p < n; ++p) {
    const Box box = block_of(handle, p);
    EXPECT_EQ(box.lo, (std::vector<int>{map[static_cast<std::size_t>(p)], 0}));
    EXPECT_EQ(box.hi[0], (p + 1 < n ? map[static_cast<std::size_t>(p) + 1] : dims[0]) - 1);
    EXPECT_EQ(box.hi[1], 6);
  }
  round_trip(handle, dims);
  GA_Destroy(handle);
}

TEST(GaIrregular, EqualNeighboursLeaveTheirProcessWithoutData) {
  const int n = GA_Nnodes();
  if (n < 3) return;
  std::vector<int> dims{6, 8}, blocks{1, 3}, map{0, 0, 5, 5};
  const int handle = NGA_Create_irreg(C_DBL, 2, dims.data(), "empty", blocks.data(), map.data());
  EXPECT_EQ(block_of(handle, 0).hi[1], 4);
  EXPECT_TRUE(nothing(block_of(handle, 1)));
  EXPECT_EQ(block_of(handle, 2).lo[1], 5);
  int last[] = {5, 7}, counts[2];
  EXPECT_EQ(NGA_Locate(handle, last), 2);
  GA_Nblock(handle, counts);
  EXPECT_EQ(counts[1], 3);
  round_trip(handle, dims);
  const int twin = GA_Duplicate(handle, "twin");
  EXPECT_EQ(GA_Compare_distr(handle, twin), 0);
  GA_Destroy(twin);
  GA_Destroy(handle);
}

TEST(GaIrregular, TheStepwiseFormMakesTheSame) {
  const int n = GA_Nnodes();
  int64_t dims[] = {9, n + 4}, blocks[] = {1, n};
  std::vector<int64_t> map{0};
  for (int p = 0; p < n; ++p) map.push_back(p);
  const int one = NGA_Create_irreg64(C_DBL, 2, dims, "one", blocks, map.data());
  const int other = GA_Create_handle();
  GA_Set_data64(other, 2, dims, C_DBL);
  GA_Set_irreg_distr64(other, map.data(), blocks);
  EXPECT_EQ(GA_Allocate(other), 1);
  EXPECT_EQ(GA_Compare_distr(one, other), 0);
  GA_Destroy(other);
  const int free = GA_Create_handle();
  GA_Set_data64(free, 2, dims, C_DBL);
  GA_Set_irreg_distr64(free, map.data(), blocks);
  GA_Set_irreg_flag(free, 0);
  EXPECT_EQ(GA_Allocate(free), 1);
  const int plain = NGA_Create64(C_DBL, 2, dims, "plain", nullptr);
  EXPECT_EQ(GA_Compare_distr(free, plain), 0);
  for (const int handle : {one, free, plain}) GA_Destroy(handle);
}

TEST(GaRestricted, OnlyTheChosenOwnData) {
  const int n = GA_Nnodes();
  if (n < 3) return;
  std::vector<int> dims{12, 10}, list{n - 1, 1};
  for (const bool range : {false, true}) {
    const int handle = GA_Create_handle();
    GA_Set_data(handle, 2, dims.data(), C_DBL);
    if (range)
      GA_Set_restricted_range(handle, 1, 2);
    else
      GA_Set_restricted(handle, list.data(), 2);
    EXPECT_EQ(GA_Allocate(handle), 1);
    int owners = 0;
    for (int p = 0; p < n; ++p) {
      const bool chosen = range ? p == 1 || p == 2 : p == 1 || p == n - 1;
      EXPECT_EQ(nothing(block_of(handle, p)), !chosen) << p;
      owners += chosen ? 1 : 0;
    }
    EXPECT_EQ(owners, 2);
    if (!range) {
      EXPECT_EQ(block_of(handle, n - 1).lo, (std::vector<int>{0, 0}));  // the first of the list
    }
    round_trip(handle, dims);
    GA_Destroy(handle);
  }
}

TEST(GaProperty, ReadOnlyArraysAreReadAndThenWrittenAgain) {
  std::vector<int> dims{20, 30};
  const int handle = ga_test::create(C_DBL, dims);
  round_trip(handle, dims);
  const ga_test::Model<double> before = ga_test::contents<double>(handle, dims);
  char read_only[] = "read_only", read_cache[] = "read_cache";
  for (char* property : {read_only, read_cache}) {
    GA_Set_property(handle, property);
    EXPECT_EQ(ga_test::contents<double>(handle, dims).data, before.data);
    EXPECT_EQ(ga_test::contents<double>(handle, dims).data, before.data);
    GA_Unset_property(handle);
  }
  double one = 1, value = 0;
  int at[] = {3, 4}, ld[] = {1};
  if (GA_Nodeid() == 0) NGA_Put(handle, at, at, &one, ld);
  GA_Sync();
  NGA_Get(handle, at, at, &value, ld);
  EXPECT_EQ(value, 1);
  GA_Destroy(handle);
}

#ifdef ATOLL_TEST_FORTRAN
extern "C" Integer ga_irregular_program_(void);

TEST(GaIrregular, FortranProgramsGiveBoundariesToo) { EXPECT_EQ(ga_irregular_program_(), 0); }
#endif

}  // namespace
