// Arrays of which processes have several blocks, against what the definitions say: who has which
// block, where it lies in memory, and that everything else works as on any array.
#include <gtest/gtest.h>

#include <utility>

#include "ga_support.hpp"

using ga_test::Box;

namespace {

using Starts = std::vector<std::vector<int>>;

enum class Cut { dealt, scalapack, tiled, tiled_irregular };

constexpr Cut cuts[] = {Cut::dealt, Cut::scalapack, Cut::tiled, Cut::tiled_irregular};

/// Processes per dimension: their number, or, if that is odd, one less.
std::vector<int> process_grid(std::size_t dimensions) {
  std::vector<int> grid(dimensions, 1);
  grid[0] = GA_Nnodes() >= 2 ? 2 : 1;
  if (dimensions > 1) grid[1] = GA_Nnodes() / grid[0];
  return grid;
}

/// A small array, cut in one of the ways, and what the definition says about its blocks.
struct Blocks {
  Blocks(Cut way, std::vector<int> extents, int type = C_INT) : cut(way), dims(std::move(extents)) {
    handle = GA_Create_handle();
    GA_Set_data(handle, static_cast<int>(dims.size()), dims.data(), type);
    grid = process_grid(dims.size());
    std::vector<int> block, map, counts;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      block.push_back(2 + static_cast<int>(d));
      starts.emplace_back();
      for (int i = 0; i < dims[d]; i += block[d]) {
        // Irregular: the first tile has one row only.
        const int start = way == Cut::tiled_irregular && i > 0 ? i - block[d] + 1 : i;
        starts[d].push_back(start);
        map.push_back(start);
      }
      counts.push_back(static_cast<int>(starts[d].size()));
    }
    switch (way) {
      case Cut::dealt: GA_Set_block_cyclic(handle, block.data()); break;
      case Cut::scalapack: GA_Set_block_cyclic_proc_grid(handle, block.data(), grid.data()); break;
      case Cut::tiled: GA_Set_tiled_proc_grid(handle, block.data(), grid.data()); break;
      case Cut::tiled_irregular:
        GA_Set_tiled_irreg_proc_grid(handle, map.data(), counts.data(), grid.data());
        break;
    }
    EXPECT_EQ(GA_Allocate(handle), 1);
  }
  ~Blocks() { GA_Destroy(handle); }
  Blocks(const Blocks&) = delete;

  std::vector<int> counts() const {
    std::vector<int> result;
    for (const auto& list : starts) result.push_back(static_cast<int>(list.size()));
    return result;
  }
  /// Calls f(number, place, box) for every block, in the order of numbers.
  template <class F>
  void each(F&& f) const {
    ga_test::whole(counts()).each([&](const std::vector<int>& place, std::int64_t number) {
      Box box{place, place};
      for (std::size_t d = 0; d < dims.size(); ++d) {
        const auto b = static_cast<std::size_t>(place[d]);
        box.lo[d] = starts[d][b];
        box.hi[d] = (b + 1 < starts[d].size() ? starts[d][b + 1] : dims[d]) - 1;
      }
      f(static_cast<int>(number), place, box);
    });
  }
  int owner(int number, const std::vector<int>& place) const {
    if (cut == Cut::dealt) return number % GA_Nnodes();
    int rank = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) rank = rank * grid[d] + place[d] % grid[d];
    return rank;
  }
  /// Writes each element's row-major number.
  ga_test::Model<int> number_elements() {
    ga_test::Model<int> model{dims};
    std::iota(model.data.begin(), model.data.end(), 0);
    Box all = ga_test::whole(dims);
    std::vector<int> ld = ga_test::leading(all);
    if (GA_Nodeid() == 0)
      NGA_Put(handle, all.lo.data(), all.hi.data(), model.data.data(), ld.data());
    GA_Sync();
    return model;
  }

  Cut cut;
  int handle;
  std::vector<int> dims, grid;
  Starts starts;
};

template <class F>
void for_all_cuts(F&& f) {
  for (const Cut cut : cuts)
    for (const std::vector<int>& dims :
         {std::vector<int>{23}, std::vector<int>{11, 17}, std::vector<int>{5, 7, 9}}) {
      SCOPED_TRACE("cut " + std::to_string(static_cast<int>(cut)) + ", " +
                   std::to_string(dims.size()) + " dimensions");
      f(cut, dims);
      GA_Sync();
    }
}

TEST(GaBlocks, NumbersTakeThePlaceOfProcesses) {
  for_all_cuts([](Cut cut, const std::vector<int>& dims) {
    Blocks a(cut, dims);
    const int n = static_cast<int>(dims.size());
    int total = 0;
    a.each([&](int number, const std::vector<int>&, const Box& box) {
      ++total;
      Box found{dims, dims};
      NGA_Distribution(a.handle, number, found.lo.data(), found.hi.data());
      EXPECT_EQ(found.lo, box.lo);
      EXPECT_EQ(found.hi, box.hi);
      box.each([&](std::vector<int> at, std::int64_t) {
        EXPECT_EQ(NGA_Locate(a.handle, at.data()), number);
      });
    });
    EXPECT_EQ(GA_Total_blocks(a.handle), total);
    EXPECT_EQ(GA_Uses_proc_grid(a.handle), cut == Cut::dealt ? 0 : 1);
    std::vector<int> counts(dims.size()), extents(dims.size()), blocks(dims.size());
    GA_Get_block_info(a.handle, counts.data(), extents.data());
    EXPECT_EQ(counts, a.counts());
    if (cut != Cut::tiled_irregular) {
      EXPECT_EQ(extents[0], 2);
    }
    GA_Nblock(a.handle, blocks.data());
    EXPECT_EQ(blocks, a.counts());
    Box all = ga_test::whole(dims);
    std::vector<int> map(static_cast<std::size_t>(2 * n * total)), numbers(map.size());
    EXPECT_EQ(NGA_Locate_num_blocks(a.handle, all.lo.data(), all.hi.data()), total);
    EXPECT_EQ(NGA_Locate_region(a.handle, all.lo.data(), all.hi.data(), map.data(), numbers.data()),
              total);
    for (int b = 0; b < total; ++b) EXPECT_EQ(numbers[static_cast<std::size_t>(b)], b);
  });
}

TEST(GaBlocks, LieInTheirOwnersMemory) {
  for_all_cuts([](Cut cut, const std::vector<int>& dims) {
    Blocks a(cut, dims);
    ga_test::Model<int> model = a.number_elements();
    const int me = GA_Nodeid();
    a.each([&](int number, const std::vector<int>& place, const Box& box) {
      if (a.owner(number, place) != me) return;
      int *by_number = nullptr, *by_place = nullptr;
      std::vector<int> ld(dims.size()), again(dims.size()), at = place;
      NGA_Access_block(a.handle, number, &by_number, ld.data());
      NGA_Access_block_grid(a.handle, at.data(), &by_place, again.data());
      EXPECT_EQ(by_number, by_place);
      EXPECT_EQ(ld, again);
      if (cut != Cut::scalapack) {
        for (std::size_t d = 1; d < dims.size(); ++d) EXPECT_EQ(ld[d - 1], box.shape()[d]);
      }
      box.each([&](const std::vector<int>& where, std::int64_t) {
        std::int64_t offset = where[0] - box.lo[0];
        for (std::size_t d = 1; d < dims.size(); ++d)
          offset = offset * ld[d - 1] + where[d] - box.lo[d];
        EXPECT_EQ(by_number[offset], model.at(where));
      });
      NGA_Release_block(a.handle, number);
      NGA_Release_update_block_grid(a.handle, at.data());
    });
  });
}

TEST(GaBlocks, SegmentsHoldTheBlocksOneBehindTheOther) {
  for_all_cuts([](Cut cut, const std::vector<int>& dims) {
    Blocks a(cut, dims);
    ga_test::Model<int> model = a.number_elements();
    const int me = GA_Nodeid();
    std::vector<int> expected;
    a.each([&](int number, const std::vector<int>& place, const Box& box) {
      if (a.owner(number, place) != me) return;
      box.each([&](const std::vector<int>& at, std::int64_t) { expected.push_back(model.at(at)); });
    });
    int* segment = nullptr;
    int length = -1;
    NGA_Access_block_segment(a.handle, me, &segment, &length);
    ASSERT_EQ(length, static_cast<int>(expected.size()));
    std::vector<int> found(segment, segment + length);
    // ScaLAPACK's local matrix holds the same elements row by row.
    if (cut == Cut::scalapack) std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
    NGA_Release_block_segment(a.handle, me);
  });
}

TEST(GaBlocks, ProcessGridsRunAlongTheLastDimensionFirst) {
  Blocks a(Cut::tiled, {11, 17});
  std::vector<int> grid(2);
  GA_Get_proc_grid(a.handle, grid.data());
  EXPECT_EQ(grid, (std::vector<int>{a.grid[1], a.grid[0]}));  // Fortran's order, as GA gives it
  for (int p = 0; p < a.grid[0] * a.grid[1]; ++p) {
    std::vector<int> place(2);
    GA_Get_proc_index(a.handle, p, place.data());
    EXPECT_EQ(place, (std::vector<int>{p / a.grid[1], p % a.grid[1]}));
  }
}

TEST(GaBlocks, AccumulatesAndPatchesDoNotMindTheCut) {
  std::mt19937 random(5);  // alike on all processes
  for_all_cuts([&](Cut cut, const std::vector<int>& dims) {
    Blocks a(cut, dims);
    ga_test::Model<int> model = a.number_elements();
    for (int round = 0; round < 8; ++round) {
      Box box = ga_test::random_box(dims, random);
      std::vector<int> ones(static_cast<std::size_t>(box.elements()), round),
          ld = ga_test::leading(box);
      int two = 2;
      NGA_Acc(a.handle, box.lo.data(), box.hi.data(), ones.data(), ld.data(), &two);
      GA_Sync();
      box.each([&](const std::vector<int>& at, std::int64_t) {
        model.at(at) += 2 * round * GA_Nnodes();
      });
    }
    EXPECT_EQ(ga_test::contents<int>(a.handle, dims).data, model.data);
    GA_Sync();
  });
}

TEST(GaBlocks, CopiesOfAPlanAreCutAlike) {
  for (const Cut cut : cuts) {
    Blocks a(cut, {11, 17});
    const int twin = GA_Duplicate(a.handle, "twin");
    EXPECT_EQ(GA_Compare_distr(a.handle, twin), 0);
    GA_Destroy(twin);
  }
}

TEST(GaBlocks, OrdinaryArraysCountProcesses) {
  const int a = ga_test::create(C_DBL, {10, 10});
  EXPECT_EQ(GA_Total_blocks(a), -1);
  EXPECT_EQ(GA_Uses_proc_grid(a), 0);
  GA_Destroy(a);
}

#ifdef ATOLL_TEST_FORTRAN
extern "C" Integer ga_blocks_program_(void);

TEST(GaBlocks, FortranProgramsSeeTheSameBlocks) { EXPECT_EQ(ga_blocks_program_(), 0); }
#endif

}  // namespace
