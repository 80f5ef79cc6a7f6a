// Ghost cells and periodic access by names with integers of 64 bits, and by the other ways of
// creation: each beside the one that other tests prove, and what positions modulo the extents say.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ga_support.hpp"

using ga_test::Box;

namespace {

using Narrow = std::vector<int>;
using Wide = std::vector<int64_t>;

Wide widened(const Narrow& values) { return {values.begin(), values.end()}; }

/// What lies at a position, round the ends of an array of these extents.
int value_at(const Narrow& dims, int i, int j) {
  const auto around = [](int position, int extent) {
    return (position % extent + extent) % extent;
  };
  return around(i, dims[0]) * dims[1] + around(j, dims[1]);
}

/// My block of an array of two dimensions.
Box mine(int handle) {
  Box box{{0, 0}, {0, 0}};
  NGA_Distribution(handle, GA_Nodeid(), box.lo.data(), box.hi.data());
  return box;
}

/// Stores the values, empties the ghosts.
void reset(int handle, const Narrow& dims) {
  GA_Sync();
  Narrow extents(2), ld(1);
  int* data = nullptr;
  NGA_Access_ghosts(handle, extents.data(), &data, ld.data());
  if (data != nullptr) std::fill_n(data, ga_test::product(extents), -1);
  NGA_Release_update_ghosts(handle);
  GA_Sync();
  Box all = ga_test::whole(dims);
  Narrow values(static_cast<std::size_t>(all.elements())), leading = ga_test::leading(all);
  std::iota(values.begin(), values.end(), 0);
  if (GA_Nodeid() == 0)
    NGA_Put(handle, all.lo.data(), all.hi.data(), values.data(), leading.data());
  GA_Sync();
}

/// All ghosts are there, by pointers of both widths.
void expect_ghosts(int handle, const Narrow& dims, const Narrow& width) {
  const Box box = mine(handle);
  if (box.lo[0] > box.hi[0]) return;
  int extents[2], ld = 0;
  int64_t extents64[2], ld64 = 0;
  int *data = nullptr, *data64 = nullptr;
  NGA_Access_ghosts(handle, extents, &data, &ld);
  NGA_Access_ghosts64(handle, extents64, &data64, &ld64);
  EXPECT_EQ(data, data64);
  EXPECT_EQ(ld64, ld);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_EQ(extents[d], box.shape()[d] + 2 * width[d]);
    EXPECT_EQ(extents64[d], extents[d]);
  }
  for (int i = 0; i < extents[0]; ++i)
    for (int j = 0; j < extents[1]; ++j)
      EXPECT_EQ(data64[i * ld64 + j],
                value_at(dims, box.lo[0] - width[0] + i, box.lo[1] - width[1] + j));
  NGA_Release_ghosts(handle);
}

void expect_updates(int handle, const Narrow& dims, const Narrow& width) {
  ASSERT_NE(handle, 0);
  EXPECT_EQ(GA_Has_ghosts(handle), 1);
  reset(handle, dims);
  GA_Update_ghosts(handle);
  expect_ghosts(handle, dims, width);
  GA_Destroy(handle);
}

TEST(WideGhosts, AreThereHoweverTheArrayIsMade) {
  Narrow dims{12, 14}, width{1, 2}, chunk{3, 3};
  Wide dims64 = widened(dims), width64 = widened(width), chunk64 = widened(chunk);
  const int world = GA_Pgroup_get_world();
  expect_updates(NGA_Create_ghosts64(C_INT, 2, dims64.data(), width64.data(), "g", chunk64.data()),
                 dims, width);
  expect_updates(
      NGA_Create_ghosts_config(C_INT, 2, dims.data(), width.data(), "g", chunk.data(), world), dims,
      width);
  expect_updates(NGA_Create_ghosts_config64(C_INT, 2, dims64.data(), width64.data(), "g",
                                            chunk64.data(), world),
                 dims, width);
  for (const bool wide : {false, true}) {
    const int handle = GA_Create_handle();
    GA_Set_data(handle, 2, dims.data(), C_INT);
    GA_Set_chunk(handle, chunk.data());
    if (wide)
      GA_Set_ghosts64(handle, width64.data());
    else
      GA_Set_ghosts(handle, width.data());
    EXPECT_EQ(GA_Allocate(handle), 1);
    expect_updates(handle, dims, width);
  }
}

TEST(WideGhosts, SurroundIrregularBlocks) {
  const int n = GA_Nnodes(), world = GA_Pgroup_get_world();
  Narrow dims{4 * n, 5}, width{2, 1}, blocks{n, 1}, map;
  for (int p = 0; p < n; ++p) map.push_back(p == 0 ? 0 : 4 * p - 1);
  map.push_back(0);
  Wide dims64 = widened(dims), width64 = widened(width), blocks64 = widened(blocks),
       map64 = widened(map);
  const int handles[] = {
      NGA_Create_ghosts_irreg64(C_INT, 2, dims64.data(), width64.data(), "g", blocks64.data(),
                                map64.data()),
      NGA_Create_ghosts_irreg_config(C_INT, 2, dims.data(), width.data(), "g", blocks.data(),
                                     map.data(), world),
      NGA_Create_ghosts_irreg_config64(C_INT, 2, dims64.data(), width64.data(), "g",
                                       blocks64.data(), map64.data(), world)};
  for (const int handle : handles) {
    EXPECT_EQ(mine(handle).lo[0], map[static_cast<std::size_t>(GA_Nodeid())]);
    expect_updates(handle, dims, width);
  }
}

TEST(WideGhosts, ElementsPatchesAndDirectionsAreTheSame) {
  Narrow dims{12, 14}, width{1, 2}, chunk{3, 3};
  const int a = NGA_Create_ghosts(C_INT, 2, dims.data(), width.data(), "g", chunk.data());
  reset(a, dims);
  // One direction after the other.
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) {
      int64_t mask[] = {i, j};
      ga_nbhdl_t handle = 0;
      NGA_NbGet_ghost_dir64(a, mask, &handle);
      NGA_NbWait(&handle);
    }
  expect_ghosts(a, dims, width);
  const Box box = mine(a);
  if (box.lo[0] <= box.hi[0]) {
    int *element = nullptr, *element64 = nullptr, subscript[] = {1, 3}, ld = 0;
    int64_t subscript64[] = {1, 3}, ld64 = 0;
    NGA_Access_ghost_element(a, &element, subscript, &ld);
    NGA_Access_ghost_element64(a, &element64, subscript64, &ld64);
    EXPECT_EQ(element64, element);
    EXPECT_EQ(ld64, ld);
    EXPECT_EQ(*element64, value_at(dims, box.lo[0], box.lo[1] + 1));
    NGA_Release_update_ghost_element(a, subscript);
    NGA_Release_ghost_element64(a, subscript64);
    NGA_Release_update_ghost_element64(a, subscript64);
    // From the first ghost to my first element.
    int64_t lo[] = {box.lo[0] - 1, box.lo[1] - 2}, hi[] = {box.lo[0], box.lo[1]}, three = 3;
    int found[6] = {};
    NGA_Get_ghost_block64(a, lo, hi, found, &three);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_EQ(found[3 * i + j], value_at(dims, box.lo[0] - 1 + i, box.lo[1] - 2 + j));
  }
  GA_Destroy(a);
}

TEST(WidePeriodic, PatchesGoRoundTheSameEnds) {
  const Narrow dims{6, 7};
  const int a = ga_test::create(C_INT, dims);
  // The whole array, from (-2, 3) on.
  Narrow lo{-2, 3}, hi{3, 9}, ld{7}, values, found(42), found64(42);
  Wide lo64 = widened(lo), hi64 = widened(hi), ld64 = widened(ld);
  for (int i = -2; i <= 3; ++i)
    for (int j = 3; j <= 9; ++j) values.push_back(value_at(dims, i, j));
  if (GA_Nodeid() == 0) NGA_Periodic_put64(a, lo64.data(), hi64.data(), values.data(), ld64.data());
  GA_Sync();
  Narrow expected(42);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ga_test::contents<int>(a, dims).data, expected);
  NGA_Periodic_get(a, lo.data(), hi.data(), found.data(), ld.data());
  NGA_Periodic_get64(a, lo64.data(), hi64.data(), found64.data(), ld64.data());
  EXPECT_EQ(found, values);
  EXPECT_EQ(found64, values);
  GA_Sync();
  int two = 2;
  NGA_Periodic_acc64(a, lo64.data(), hi64.data(), values.data(), ld64.data(), &two);
  GA_Sync();
  for (int& element : expected) element *= 1 + 2 * GA_Nnodes();
  EXPECT_EQ(ga_test::contents<int>(a, dims).data, expected);
  GA_Destroy(a);
}

}  // namespace
