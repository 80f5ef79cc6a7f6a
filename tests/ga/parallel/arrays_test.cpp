// Creating, destroying and inquiring.
#include <gtest/gtest.h>

#include <set>

#include "ga_support.hpp"

using ga_test::Box;

namespace {

TEST(GaHandles, CountFromMinus1000AndTheLowestFreeOneIsUsedAgain) {
  const int a = ga_test::create(C_DBL, {5, 7});
  const int b = ga_test::create(C_INT, {3});
  const int c = ga_test::create(C_DBL, {2, 2, 2});
  EXPECT_EQ(a, -1000);
  EXPECT_EQ(b, -999);
  EXPECT_EQ(c, -998);
  GA_Destroy(b);
  EXPECT_EQ(GA_Valid_handle(b), 0);
  EXPECT_EQ(ga_test::create(C_DBL, {4}), -999);
  GA_Destroy(-999);
  GA_Destroy(a);
  GA_Destroy(c);
}

TEST(GaHandles, TheThousandAndFirstIsZeroAndMoreFollow) {
  std::vector<int> handles;
  for (int k = 0; k < 1003; ++k) handles.push_back(GA_Create_handle());
  EXPECT_EQ(handles[1000], 0);
  EXPECT_EQ(handles[1002], 2);
  int dims[] = {3};
  GA_Set_data(0, 1, dims, C_INT);
  EXPECT_EQ(GA_Allocate(0), 1);
  EXPECT_EQ(GA_Valid_handle(0), 1);
  for (const int handle : handles) GA_Destroy(handle);
}

TEST(GaArrays, TellTypeShapeAndNameCutTo31Letters) {
  const int a = ga_test::create(C_DCPL, {5, 7, 2}, std::string(40, 'n'));
  int type = 0, ndim = 0, dims[3] = {};
  NGA_Inquire(a, &type, &ndim, dims);
  EXPECT_EQ(type, C_DCPL);
  EXPECT_EQ(ndim, 3);
  EXPECT_EQ((std::vector<int>{dims[0], dims[1], dims[2]}), (std::vector<int>{5, 7, 2}));
  EXPECT_EQ(GA_Ndim(a), 3);
  EXPECT_EQ(std::string(GA_Inquire_name(a)), std::string(31, 'n'));
  GA_Destroy(a);
  EXPECT_EQ(ga_test::create(F_DBL, {2}, ""), a);
  NGA_Inquire(a, &type, &ndim, dims);
  EXPECT_EQ(type, C_DBL);
  GA_Destroy(a);
}

TEST(GaArrays, BeginWithZeros) {
  for (const std::vector<int>& dims : {std::vector<int>{1}, {13, 13}, {3, 5, 7}, {2, 1, 3, 2}}) {
    const int a = ga_test::create(C_DBL, dims);
    for (const double value : ga_test::contents<double>(a, dims).data) EXPECT_EQ(value, 0.0);
    GA_Destroy(a);
  }
}

TEST(GaDistribution, CoversEachElementOnceAndAgreesWithLocate) {
  const std::vector<int> dims = {7, 5};
  const int a = ga_test::create(C_INT, dims);
  ga_test::Model<int> owners{dims};
  std::ranges::fill(owners.data, -1);
  for (int p = 0; p < GA_Nnodes(); ++p) {
    Box box{{0, 0}, {0, 0}};
    NGA_Distribution(a, p, box.lo.data(), box.hi.data());
    if (box.lo[0] == -1) {
      EXPECT_EQ(box.lo, (std::vector<int>{-1, -1}));
      EXPECT_EQ(box.hi, (std::vector<int>{-2, -2}));
      continue;
    }
    box.each([&](const std::vector<int>& at, std::int64_t) {
      EXPECT_EQ(owners.at(at), -1);
      owners.at(at) = p;
    });
  }
  ga_test::whole(dims).each([&](std::vector<int> at, std::int64_t) {
    EXPECT_EQ(NGA_Locate(a, at.data()), owners.at(at));
  });
  int outside[] = {7, 0};
  EXPECT_EQ(NGA_Locate(a, outside), -1);
  GA_Destroy(a);
}

TEST(GaDistribution, ProcessesBeyondTheElementsOwnNothing) {
  const int a = ga_test::create(C_INT, {1});
  int owning = 0;
  for (int p = 0; p < GA_Nnodes(); ++p) {
    int lo = 0, hi = 0;
    NGA_Distribution(a, p, &lo, &hi);
    owning += lo >= 0 ? 1 : 0;
    EXPECT_TRUE(lo >= 0 || hi == -2);
  }
  EXPECT_EQ(owning, 1);
  GA_Destroy(a);
}

TEST(GaDistribution, ChunkEqualToTheDimensionIsNotCut) {
  int dims[] = {8, 9}, chunk[] = {8, -1};
  const int a = NGA_Create(C_DBL, 2, dims, "rows whole", chunk);
  int blocks[2] = {};
  GA_Nblock(a, blocks);
  EXPECT_EQ(blocks[0], 1);
  EXPECT_EQ(blocks[1], GA_Nnodes());
  GA_Destroy(a);
}

TEST(GaDistribution, LocateRegionGivesTheOwnersPartsOfAPatch) {
  std::mt19937 random(7);
  const std::vector<int> dims = {11, 6, 5};
  const int a = ga_test::create(C_DBL, dims);
  const auto n = static_cast<std::size_t>(GA_Nnodes());
  for (int round = 0; round < 20; ++round) {
    Box box = ga_test::random_box(dims, random);
    std::vector<int> map(2 * 3 * n), processes(n);
    const int parts =
        NGA_Locate_region(a, box.lo.data(), box.hi.data(), map.data(), processes.data());
    EXPECT_EQ(NGA_Locate_nnodes(a, box.lo.data(), box.hi.data()), parts);
    std::int64_t covered = 0;
    for (int k = 0; k < parts; ++k) {
      const int* entry = map.data() + std::ptrdiff_t{6} * k;
      Box part{{entry[0], entry[1], entry[2]}, {entry[3], entry[4], entry[5]}};
      covered += part.elements();
      part.each([&](std::vector<int> at, std::int64_t) {
        EXPECT_EQ(NGA_Locate(a, at.data()), processes[static_cast<std::size_t>(k)]);
        for (std::size_t d = 0; d < 3; ++d) EXPECT_TRUE(box.lo[d] <= at[d] && at[d] <= box.hi[d]);
      });
    }
    EXPECT_EQ(covered, box.elements());
  }
  GA_Destroy(a);
}

TEST(GaDuplicate, KeepsTheLayoutAndNotTheContents) {
  const int a = ga_test::create(C_DBL, {6, 6}, "a");
  if (GA_Nodeid() == 0) {
    int at[] = {3, 3}, ld[] = {1};
    double one = 1;
    NGA_Put(a, at, at, &one, ld);
  }
  const int b = GA_Duplicate(a, "b");
  const int c = ga_test::create(C_DBL, {6, 7});
  EXPECT_EQ(GA_Compare_distr(a, b), 0);
  EXPECT_EQ(GA_Compare_distr(a, c), 1);
  EXPECT_EQ(std::string(GA_Inquire_name(b)), "b");
  for (const double value : ga_test::contents<double>(b, {6, 6}).data) EXPECT_EQ(value, 0.0);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

TEST(GaSteps, AnArrayIsWhatWasSetBeforeItWasAllocated) {
  const int a = GA_Create_handle();
  EXPECT_EQ(GA_Valid_handle(a), 0);
  int64_t dims[] = {4, 10}, chunk[] = {4, 0};
  GA_Set_data64(a, 2, dims, C_LONG);
  GA_Set_chunk64(a, chunk);
  GA_Set_array_name(a, "in steps");
  GA_Set_pgroup(a, GA_Pgroup_get_world());
  EXPECT_EQ(GA_Allocate(a), 1);
  int blocks[2] = {};
  GA_Nblock(a, blocks);
  EXPECT_EQ(blocks[0], 1);
  EXPECT_EQ(std::string(GA_Inquire_name(a)), "in steps");
  EXPECT_EQ(GA_Deallocate(a), 1);
  EXPECT_EQ(GA_Valid_handle(a), 0);
  EXPECT_EQ(GA_Allocate(a), 1);
  GA_Destroy(a);
}

TEST(GaMemory, ALimitIsHonouredOnAllProcessesAlike) {
  EXPECT_EQ(GA_Memory_limited(), 0);
  EXPECT_EQ(static_cast<long>(GA_Memory_avail()), -1);
  EXPECT_EQ(GA_Inquire_memory(), 0U);
  const int processes = GA_Nnodes();
  const std::size_t limit = GA_Nodeid() == 0 ? 4000 : 1 << 30;  // who has less decides
  GA_Set_memory_limit(limit);
  EXPECT_EQ(GA_Memory_limited(), 1);
  EXPECT_EQ(GA_Memory_avail(), limit);
  EXPECT_EQ(ga_test::create(C_DBL, {501 * processes}), 0);
  EXPECT_EQ(GA_Memory_avail(), limit);
  const int a = ga_test::create(C_DBL, {500 * processes});
  EXPECT_EQ(a, -1000);
  EXPECT_EQ(GA_Inquire_memory(), 4000U);
  EXPECT_EQ(GA_Memory_avail(), limit - 4000);
  GA_Destroy(a);
  EXPECT_EQ(GA_Memory_avail(), limit);
  GA_Set_memory_limit(static_cast<std::size_t>(-1));
  EXPECT_EQ(GA_Memory_limited(), 0);
  EXPECT_EQ(GA_Uses_ma(), 0);
}

TEST(GaCluster, NodesHoldEachProcessOnce) {
  std::set<int> seen;
  for (int node = 0; node < GA_Cluster_nnodes(); ++node)
    for (int k = 0; k < GA_Cluster_nprocs(node); ++k) {
      const int process = GA_Cluster_procid(node, k);
      EXPECT_TRUE(seen.insert(process).second);
      EXPECT_EQ(GA_Cluster_proc_nodeid(process), node);
      if (process == GA_Nodeid()) {
        EXPECT_EQ(GA_Cluster_nodeid(), node);
      }
    }
  EXPECT_EQ(static_cast<int>(seen.size()), GA_Nnodes());
}

TEST(GaInitialize, TwiceIsHarmless) {
  GA_Initialize();
  EXPECT_EQ(GA_Initialized(), 1);
}

}  // namespace
