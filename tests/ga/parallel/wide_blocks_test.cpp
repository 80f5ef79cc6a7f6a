// Irregular and block-cyclic arrays by names with integers of 64 bits: each beside the narrow one,
// and what the definitions say.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "ga_support.hpp"

namespace {

using Narrow = std::vector<int>;
using Wide = std::vector<int64_t>;

Wide widened(const Narrow& values) { return {values.begin(), values.end()}; }

/// An array of 11 x 17 integers, made in steps.
int made(const std::function<void(int)>& cut) {
  const int handle = GA_Create_handle();
  int dims[] = {11, 17};
  GA_Set_data(handle, 2, dims, C_INT);
  cut(handle);
  EXPECT_EQ(GA_Allocate(handle), 1);
  return handle;
}

/// First and last indices of all blocks, by their numbers.
std::vector<Narrow> blocks_of(int handle) {
  std::vector<Narrow> result;
  const int count = GA_Total_blocks(handle) < 0 ? GA_Nnodes() : GA_Total_blocks(handle);
  for (int number = 0; number < count; ++number) {
    int lo[2], hi[2];
    NGA_Distribution(handle, number, lo, hi);
    result.push_back({lo[0], hi[0], lo[1], hi[1]});
  }
  return result;
}

/// Blocks with the given starts, number by number.
std::vector<Narrow> blocks_from(Narrow rows, Narrow columns) {
  rows.push_back(11);
  columns.push_back(17);
  std::vector<Narrow> result;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i)
    for (std::size_t j = 0; j + 1 < columns.size(); ++j)
      result.push_back({rows[i], rows[i + 1] - 1, columns[j], columns[j + 1] - 1});
  return result;
}

/// Both have these blocks and the same owners.
void expect_alike(int narrow, int wide, const std::vector<Narrow>& blocks) {
  EXPECT_EQ(blocks_of(narrow), blocks);
  EXPECT_EQ(blocks_of(wide), blocks);
  EXPECT_EQ(GA_Compare_distr(narrow, wide), 0);
  GA_Destroy(narrow);
  GA_Destroy(wide);
}

/// Blocks of 4 x 5.
std::vector<Narrow> even_blocks() { return blocks_from({0, 4, 8}, {0, 5, 10, 15}); }

TEST(WideBlocks, AreCutTheSame) {
  Narrow block{4, 5}, grid{1, GA_Nnodes()};
  Wide block64 = widened(block), grid64 = widened(grid);
  const std::vector<Narrow> even = even_blocks();
  expect_alike(made([&](int a) { GA_Set_block_cyclic(a, block.data()); }),
               made([&](int a) { GA_Set_block_cyclic64(a, block64.data()); }), even);
  expect_alike(
      made([&](int a) { GA_Set_block_cyclic_proc_grid(a, block.data(), grid.data()); }),
      made([&](int a) { GA_Set_block_cyclic_proc_grid64(a, block64.data(), grid64.data()); }),
      even);
  expect_alike(made([&](int a) { GA_Set_tiled_proc_grid(a, block.data(), grid.data()); }),
               made([&](int a) { GA_Set_tiled_proc_grid64(a, block64.data(), grid64.data()); }),
               even);
  Narrow map{0, 3, 9, 0, 2, 16}, counts{3, 3};
  Wide map64 = widened(map), counts64 = widened(counts);
  expect_alike(
      made([&](int a) { GA_Set_tiled_irreg_proc_grid(a, map.data(), counts.data(), grid.data()); }),
      made([&](int a) {
        GA_Set_tiled_irreg_proc_grid64(a, map64.data(), counts64.data(), grid64.data());
      }),
      blocks_from({0, 3, 9}, {0, 2, 16}));
}

TEST(WideBlocks, HaveTheSameMemory) {
  Narrow block{4, 5};
  const int a = made([&](int handle) { GA_Set_block_cyclic(handle, block.data()); });
  const int me = GA_Nodeid();
  const std::vector<Narrow> blocks = even_blocks();
  int elements = 0;
  for (int number = me; number < 12; number += GA_Nnodes()) {
    const Narrow& bounds = blocks[static_cast<std::size_t>(number)];
    int *narrow = nullptr, *wide = nullptr, *placed = nullptr, ld = -1;
    int place[] = {number / 4, number % 4};
    int64_t place64[] = {number / 4, number % 4}, ld64 = -1, placed_ld = -1;
    NGA_Access_block(a, number, &narrow, &ld);
    NGA_Access_block64(a, number, &wide, &ld64);
    NGA_Access_block_grid64(a, place64, &placed, &placed_ld);
    EXPECT_EQ(narrow, wide);
    EXPECT_EQ(narrow, placed);
    EXPECT_EQ(ld, bounds[3] - bounds[2] + 1);
    EXPECT_EQ(ld64, ld);
    EXPECT_EQ(placed_ld, ld);
    for (int i = bounds[0]; i <= bounds[1]; ++i)
      for (int j = bounds[2]; j <= bounds[3]; ++j, ++elements)
        wide[(i - bounds[0]) * ld64 + j - bounds[2]] = 100 * i + j;
    NGA_Release_update_block(a, number);
    NGA_Release_block_grid(a, place);
  }
  int *segment = nullptr, *segment64 = nullptr, length = -1;
  int64_t length64 = -1;
  NGA_Access_block_segment(a, me, &segment, &length);
  NGA_Access_block_segment64(a, me, &segment64, &length64);
  EXPECT_EQ(segment, segment64);
  EXPECT_EQ(length, elements);
  EXPECT_EQ(length64, elements);
  NGA_Release_update_block_segment(a, me);
  GA_Sync();
  ga_test::Model<int> found = ga_test::contents<int>(a, {11, 17});
  ga_test::whole({11, 17}).each([&](const std::vector<int>& at, std::int64_t) {
    EXPECT_EQ(found.at(at), 100 * at[0] + at[1]);
  });
  GA_Destroy(a);
}

TEST(WideIrregular, BoundariesAreTheSame) {
  const int n = GA_Nnodes(), world = GA_Pgroup_get_world();
  // Columns one by one, the rest for the last process.
  Narrow dims{11, 17}, blocks{1, n}, map{0}, columns;
  for (int p = 0; p < n; ++p) columns.push_back(p);
  map.insert(map.end(), columns.begin(), columns.end());
  Wide dims64 = widened(dims), blocks64 = widened(blocks), map64 = widened(map);
  const std::vector<Narrow> expected = blocks_from({0}, columns);
  expect_alike(
      NGA_Create_irreg_config(C_INT, 2, dims.data(), "narrow", blocks.data(), map.data(), world),
      NGA_Create_irreg_config64(C_INT, 2, dims64.data(), "wide", blocks64.data(), map64.data(),
                                world),
      expected);
  expect_alike(made([&](int a) {
                 GA_Set_irreg_distr(a, map.data(), blocks.data());
                 GA_Set_memory_dev(a, "dram");
               }),
               made([&](int a) { GA_Set_irreg_distr64(a, map64.data(), blocks64.data()); }),
               expected);
}

TEST(WideIrregular, ChunksAreTheSame) {
  Narrow chunk{11, -1};
  Wide chunk64 = widened(chunk);
  const int narrow = made([&](int a) { GA_Set_chunk(a, chunk.data()); });
  const int wide = made([&](int a) { GA_Set_chunk64(a, chunk64.data()); });
  EXPECT_EQ(GA_Compare_distr(narrow, wide), 0);
  // All rows together: processes in a grid of one row, as Fortran sees it of one column.
  int next = 0, blocks[2];
  for (int p = 0; p < GA_Nnodes(); ++p) {
    int lo[2], hi[2], place[] = {-1, -1};
    NGA_Distribution(narrow, p, lo, hi);
    if (lo[0] < 0) continue;
    EXPECT_EQ(hi[0] - lo[0], 10);
    NGA_Proc_topology(narrow, p, place);
    EXPECT_EQ(place[0], next++);
    EXPECT_EQ(place[1], 0);
  }
  GA_Nblock(narrow, blocks);
  EXPECT_EQ(blocks[0], 1);
  EXPECT_EQ(blocks[1], next);
  GA_Destroy(narrow);
  GA_Destroy(wide);
}

TEST(WideOneSided, StepsAreTheSame) {
  const int a = ga_test::create(C_LONG, {10, 8});
  ga_test::Model<long> model{{10, 8}};
  std::iota(model.data.begin(), model.data.end(), 0L);
  int all_lo[] = {0, 0}, all_hi[] = {9, 7}, all_ld[] = {8};
  if (GA_Nodeid() == 0) NGA_Put(a, all_lo, all_hi, model.data.data(), all_ld);
  GA_Sync();
  int lo[] = {1, 2}, hi[] = {7, 6}, skip[] = {3, 2}, ld[] = {3};
  int64_t lo64[] = {1, 2}, hi64[] = {7, 6}, skip64[] = {3, 2}, ld64[] = {3};
  std::vector<long> narrow(9, -1), wide(9, -1), expected;
  for (int i = 1; i <= 7; i += 3)
    for (int j = 2; j <= 6; j += 2) expected.push_back(model.at({i, j}));
  NGA_Strided_get(a, lo, hi, skip, narrow.data(), ld);
  NGA_Strided_get64(a, lo64, hi64, skip64, wide.data(), ld64);
  EXPECT_EQ(narrow, expected);
  EXPECT_EQ(wide, expected);
  GA_Check_handle(a, "a test");  // ends the job if it is none
  GA_Destroy(a);
}

}  // namespace
