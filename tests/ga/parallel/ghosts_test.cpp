// Ghost cells and periodic access, against positions taken modulo the extents.
#include <gtest/gtest.h>

#include <utility>

#include "ga_support.hpp"

using ga_test::Box;

namespace {

constexpr int untouched = -1;

int wrapped(int position, int extent) { return ((position % extent) + extent) % extent; }

/// An array with ghost cells that holds its elements' numbers.
struct Ghosted {
  Ghosted(std::vector<int> extents, std::vector<int> widths)
      : dims(std::move(extents)), width(std::move(widths)) {
    std::vector<int> chunk(dims.size(), 3);
    handle = NGA_Create_ghosts(C_INT, static_cast<int>(dims.size()), dims.data(), width.data(),
                               "ghosts", chunk.data());
    mine = {dims, dims};
    NGA_Distribution(handle, GA_Nodeid(), mine.lo.data(), mine.hi.data());
    empty = mine.lo[0] > mine.hi[0];
  }
  ~Ghosted() { GA_Destroy(handle); }
  Ghosted(const Ghosted&) = delete;

  /// My block and its ghosts; positions may lie beyond the array.
  Box around() const {
    Box box = mine;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      box.lo[d] -= width[d];
      box.hi[d] += width[d];
    }
    return box;
  }
  int* memory() const {
    std::vector<int> extents(dims.size()), ld(dims.size());
    int* data = nullptr;
    NGA_Access_ghosts(handle, extents.data(), &data, ld.data());
    if (empty) return nullptr;
    EXPECT_EQ(extents, around().shape());
    for (std::size_t d = 1; d < dims.size(); ++d) EXPECT_EQ(ld[d - 1], extents[d]);
    return data;
  }
  int number(const std::vector<int>& at) const {
    int linear = 0;
    for (std::size_t d = 0; d < dims.size(); ++d)
      linear = linear * dims[d] + wrapped(at[d], dims[d]);
    return linear;
  }
  /// Numbers in the array, nothing in the ghosts.
  void reset() {
    GA_Sync();
    if (!empty) std::fill_n(memory(), around().elements(), untouched);
    GA_Sync();
    Box all = ga_test::whole(dims);
    std::vector<int> ld = ga_test::leading(all), values(static_cast<std::size_t>(all.elements()));
    std::iota(values.begin(), values.end(), 0);
    if (GA_Nodeid() == 0) NGA_Put(handle, all.lo.data(), all.hi.data(), values.data(), ld.data());
    GA_Sync();
  }
  /// `filled(direction)` says which ghosts have been brought.
  template <class F>
  void check(F&& filled) {
    if (empty) return;
    const int* data = memory();
    around().each([&](const std::vector<int>& at, std::int64_t k) {
      std::vector<int> direction(dims.size());
      bool inside = true;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        direction[d] = at[d] < mine.lo[d] ? -1 : at[d] > mine.hi[d] ? 1 : 0;
        inside = inside && direction[d] == 0;
      }
      EXPECT_EQ(data[k], inside || filled(direction) ? number(at) : untouched);
    });
  }

  std::vector<int> dims, width;
  int handle = 0;
  Box mine;
  bool empty = false;
};

const auto all = [](const std::vector<int>&) { return true; };

int sides(const std::vector<int>& direction) {
  int count = 0;
  for (const int entry : direction) count += entry != 0 ? 1 : 0;
  return count;
}

TEST(GaGhosts, OfANewArrayAreZeroWhateverWasInMemoryBefore) {
  {
    Ghosted old({12, 14}, {1, 2});
    old.reset();  // all ghosts hold something
  }
  Ghosted a({12, 14}, {1, 2});
  if (!a.empty) {
    const int* data = a.memory();
    a.around().each([&](const std::vector<int>& at, std::int64_t k) {
      bool inside = true;
      for (std::size_t d = 0; d < at.size(); ++d)
        inside = inside && at[d] >= a.mine.lo[d] && at[d] <= a.mine.hi[d];
      EXPECT_TRUE(inside || data[k] == 0) << data[k];
    });
  }
  GA_Sync();
}

TEST(GaGhosts, UpdatesBringFacesEdgesAndCorners) {
  for (const auto& [dims, width] : {std::pair<std::vector<int>, std::vector<int>>{{17}, {3}},
                                    {{12, 14}, {1, 2}},
                                    {{12, 14}, {0, 2}},
                                    {{7, 8, 9}, {1, 2, 1}}}) {
    Ghosted a(dims, width);
    EXPECT_EQ(GA_Has_ghosts(a.handle), 1);
    a.reset();
    GA_Update_ghosts(a.handle);
    a.check(all);
    a.reset();
    ga_nbhdl_t handle = 0;
    NGA_Update_ghosts_nb(a.handle, &handle);
    NGA_NbWait(&handle);
    a.check(all);
    a.reset();
    GA_Set_ghost_corner_flag(a.handle, 0);
    GA_Update_ghosts(a.handle);
    a.check([](const std::vector<int>& direction) { return sides(direction) == 1; });
    GA_Sync();
  }
  const int plain = ga_test::create(C_INT, {5});
  EXPECT_EQ(GA_Has_ghosts(plain), 0);
  GA_Destroy(plain);
}

// Dimension 0 is the last one: GA counts them from Fortran's first in C, too.
TEST(GaGhosts, OneSideIsUpdatedWithItsCornersOrWithout) {
  Ghosted a({8, 9, 7}, {1, 2, 1});
  for (int dimension = 0; dimension < 3; ++dimension)
    for (const int side : {-1, 1})
      for (const int corners : {0, 1}) {
        a.reset();
        EXPECT_EQ(NGA_Update_ghost_dir(a.handle, dimension, side, corners), 1);
        a.check([&](const std::vector<int>& direction) {
          return direction[static_cast<std::size_t>(2 - dimension)] == side &&
                 (corners == 1 || sides(direction) == 1);
        });
      }
}

TEST(GaGhosts, AProcessFetchesOneDirectionByItself) {
  Ghosted a({12, 14}, {1, 2});
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) {
      a.reset();
      int mask[] = {i, j};
      ga_nbhdl_t handle = 0;
      NGA_NbGet_ghost_dir(a.handle, mask, &handle);
      NGA_NbWait(&handle);
      a.check(
          [&](const std::vector<int>& direction) { return direction == std::vector<int>{i, j}; });
    }
}

TEST(GaGhosts, ElementsAndPatchesAreThoseOfMyMemory) {
  Ghosted a({12, 14}, {1, 2});
  a.reset();
  GA_Update_ghosts(a.handle);
  if (!a.empty) {
    int subscript[] = {1, 3}, ld = 0;
    int* element = nullptr;
    NGA_Access_ghost_element(a.handle, &element, subscript, &ld);
    EXPECT_EQ(element, a.memory() + ld + 3);
    NGA_Release_ghost_element(a.handle, subscript);
    Box box = a.around();
    ++box.lo[0];
    --box.hi[1];
    std::vector<int> shape = box.shape(), buffer(static_cast<std::size_t>(box.elements()));
    NGA_Get_ghost_block(a.handle, box.lo.data(), box.hi.data(), buffer.data(), &shape[1]);
    box.each([&](const std::vector<int>& at, std::int64_t k) {
      EXPECT_EQ(buffer[static_cast<std::size_t>(k)], a.number(at));
    });
  }
  // What is not near me comes from its owners.
  Box whole = ga_test::whole(a.dims);
  std::vector<int> buffer(static_cast<std::size_t>(whole.elements()));
  NGA_Get_ghost_block(a.handle, whole.lo.data(), whole.hi.data(), buffer.data(), &a.dims[1]);
  for (std::size_t i = 0; i < buffer.size(); ++i) EXPECT_EQ(buffer[i], static_cast<int>(i));
  GA_Sync();
}

TEST(GaGhosts, IrregularBlocksHaveThemToo) {
  const int n = GA_Nnodes();
  std::vector<int> dims{4 * n, 5}, width{2, 1}, blocks{n, 1}, map;
  for (int p = 0; p < n; ++p) map.push_back(p == 0 ? 0 : 4 * p - 1);
  map.push_back(0);
  const int handle = NGA_Create_ghosts_irreg(C_INT, 2, dims.data(), width.data(), "ghosts",
                                             blocks.data(), map.data());
  int lo[2], hi[2], extents[2], ld[1], *data = nullptr;
  NGA_Distribution(handle, GA_Nodeid(), lo, hi);
  EXPECT_EQ(lo[0], map[static_cast<std::size_t>(GA_Nodeid())]);
  NGA_Access_ghosts(handle, extents, &data, ld);
  EXPECT_EQ(extents[0], hi[0] - lo[0] + 5);
  EXPECT_EQ(extents[1], 7);
  GA_Destroy(handle);
}

TEST(GaPeriodic, PatchesGoOnAtTheOtherEnd) {
  std::mt19937 random(3 + static_cast<unsigned>(GA_Nodeid()));
  for (const std::vector<int>& dims :
       {std::vector<int>{11}, std::vector<int>{6, 7}, std::vector<int>{4, 5, 3}}) {
    const int handle = ga_test::create(C_DBL, dims);
    ga_test::Model<double> model{dims};
    std::iota(model.data.begin(), model.data.end(), 0.0);
    const auto element = [&](std::vector<int> at) -> double& {
      for (std::size_t d = 0; d < dims.size(); ++d) at[d] = wrapped(at[d], dims[d]);
      return model.at(at);
    };
    // All alike: one puts it with a shift, and everybody gets what he likes.
    Box shifted = ga_test::whole(dims);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      shifted.lo[d] -= 2;
      shifted.hi[d] -= 2;
    }
    std::vector<double> values;
    shifted.each([&](const std::vector<int>& at, std::int64_t) { values.push_back(element(at)); });
    std::vector<int> ld = ga_test::leading(shifted);
    if (GA_Nodeid() == 0)
      NGA_Periodic_put(handle, shifted.lo.data(), shifted.hi.data(), values.data(), ld.data());
    GA_Sync();
    EXPECT_EQ(ga_test::contents<double>(handle, dims).data, model.data);
    for (int round = 0; round < 10; ++round) {
      Box box = ga_test::random_box(dims, random);
      for (std::size_t d = 0; d < dims.size(); ++d) {
        const int shift = std::uniform_int_distribution<int>(-9, 9)(random);
        box.lo[d] += shift;
        box.hi[d] += shift + 1;
      }
      std::vector<double> got(static_cast<std::size_t>(box.elements()));
      ld = ga_test::leading(box);
      NGA_Periodic_get(handle, box.lo.data(), box.hi.data(), got.data(), ld.data());
      box.each([&](const std::vector<int>& at, std::int64_t k) {
        EXPECT_EQ(got[static_cast<std::size_t>(k)], element(at));
      });
    }
    GA_Sync();
    double two = 2;
    NGA_Periodic_acc(handle, shifted.lo.data(), shifted.hi.data(), values.data(),
                     ga_test::leading(shifted).data(), &two);
    GA_Sync();
    for (double& x : model.data) x *= 1 + 2 * GA_Nnodes();
    EXPECT_EQ(ga_test::contents<double>(handle, dims).data, model.data);
    GA_Destroy(handle);
  }
}

#ifdef ATOLL_TEST_FORTRAN
extern "C" {
Integer ga_ghosts_program_(void);
Integer ga_periodic_program_(void);
}

TEST(GaGhosts, FortranProgramsUpdateThemInEveryWay) { EXPECT_EQ(ga_ghosts_program_(), 0); }
TEST(GaPeriodic, FortranProgramsGoAroundTheEnds) { EXPECT_EQ(ga_periodic_program_(), 0); }
#endif

}  // namespace
