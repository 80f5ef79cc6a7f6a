// Memory shared in the node, and arrays in memory that is there already.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/ga/memories.hpp"
#include "compat/ga/overlays.hpp"
#include "compat/ga/runtime.hpp"
#include "ga/typesf2c.h"
#include "ga_support.hpp"

namespace ga = lagoon::atoll::ga;

#ifdef ATOLL_TEST_FORTRAN
extern "C" void overlays_in_fortran_(Integer* line);
#endif

namespace {

using ga_test::Box;

std::vector<int> dims() { return {13, 9}; }

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const atoll::Error& error) {
    return error.message();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Box mine(int g_a) {
  const int n = GA_Ndim(g_a);
  Box box{std::vector<int>(static_cast<std::size_t>(n)),
          std::vector<int>(static_cast<std::size_t>(n))};
  NGA_Distribution(g_a, GA_Nodeid(), box.lo.data(), box.hi.data());
  return box;
}

bool owner(const Box& box) { return box.lo[0] >= 0; }

/// What the element at a place holds in these tests.
double value_at(const std::vector<int>& at) { return 100.0 * at[0] + at[1] + 0.5; }

ga_test::Model<double> expected(double factor = 1) {
  ga_test::Model<double> model{dims()};
  ga_test::whole(dims()).each(
      [&](const std::vector<int>& at, std::int64_t) { model.at(at) = factor * value_at(at); });
  return model;
}

/// An array of `dims` on a group, filled by its owners.
int filled_on(int group) {
  std::vector<int> extents = dims();
  const int g_a = NGA_Create_config(C_DBL, 2, extents.data(), "parent", nullptr, group);
  Box box{{0, 0}, {0, 0}};
  NGA_Distribution(g_a, GA_Pgroup_nodeid(group), box.lo.data(), box.hi.data());
  if (owner(box)) {
    double* data = nullptr;
    int ld = 0;
    NGA_Access(g_a, box.lo.data(), box.hi.data(), &data, &ld);
    box.each([&](const std::vector<int>& at, std::int64_t) {
      data[(at[0] - box.lo[0]) * ld + at[1] - box.lo[1]] = value_at(at);
    });
    NGA_Release_update(g_a, box.lo.data(), box.hi.data());
  }
  GA_Pgroup_sync(group);
  return g_a;
}

int handle_of(int type, std::vector<int> extents) {
  const int g_a = GA_Create_handle();
  GA_Set_data(g_a, static_cast<int>(extents.size()), extents.data(), type);
  return g_a;
}

/// My block's address.
void* block_of(int g_a) {
  Box box = mine(g_a);
  if (!owner(box)) return nullptr;
  void* data = nullptr;
  std::vector<int> ld(box.lo.size());
  NGA_Access(g_a, box.lo.data(), box.hi.data(), &data, ld.data());
  return data;
}

/// The last process doubles everything through the array.
void double_all(int g_a) {
  GA_Sync();
  if (GA_Nodeid() == GA_Nnodes() - 1) {
    std::vector<double> values = ga_test::contents<double>(g_a, dims()).data;
    Box all = ga_test::whole(dims());
    double one = 1;
    NGA_Acc(g_a, all.lo.data(), all.hi.data(), values.data(), ga_test::leading(all).data(), &one);
  }
  GA_Sync();
}

TEST(GaMemory, OfEachProcessIsZeroedAndItsOwn) {
  const int me = GA_Nodeid();
  for (int round = 0; round < 3; ++round) {
    auto* const numbers = static_cast<double*>(GA_Getmem(C_DBL, me * 1001, GA_Pgroup_get_world()));
    auto* const letters = static_cast<char*>(GA_Getmem(C_CHAR, 3, GA_Pgroup_get_world()));
    ASSERT_NE(numbers, nullptr);  // also the first process's, which has no elements
    ASSERT_NE(letters, nullptr);
    EXPECT_TRUE(std::all_of(numbers, numbers + me * 1001, [](double x) { return x == 0; }));
    EXPECT_TRUE(std::all_of(letters, letters + 3, [](char c) { return c == 0; }));
    std::fill(numbers, numbers + me * 1001, me + 1.0);
    std::fill(letters, letters + 3, 'x');
    GA_Sync();
    EXPECT_TRUE(std::all_of(numbers, numbers + me * 1001, [&](double x) { return x == me + 1; }));
    EXPECT_EQ(std::string(letters, 3), "xxx");
    GA_Freemem(numbers);
    GA_Freemem(letters);
  }
}

TEST(GaMemory, IsOfAGroupAndOfAnyType) {
  const int last = GA_Nnodes() - 1;
  int list[] = {last};
  const int group = GA_Pgroup_create(list, 1);
  if (GA_Nodeid() == last) {
    const int type = NGA_Register_type(24);
    void* const memory = GA_Getmem(type, 5, group);
    ASSERT_NE(memory, nullptr);
    EXPECT_GE(ga::memories().at(memory).bytes(0), 120);
    GA_Freemem(memory);
    NGA_Deregister_type(type);
  }
  void* const mirrored = GA_Getmem(C_INT, 7, GA_Pgroup_get_mirror());
  EXPECT_NE(mirrored, nullptr);
  GA_Freemem(mirrored);
  GA_Sync();
  GA_Pgroup_destroy(group);
}

TEST(GaMemory, RefusesWhatIsNone) {
  EXPECT_EQ(message_of([] { ga::get_memory(MT_C_DBL, -1, -1); }),
            "nelem is -1; expected 0 or more");
  EXPECT_TRUE(contains(message_of([] { ga::get_memory(77, 1, -1); }), "77"));
  int mine = 0;
  std::ostringstream address;
  address << &mine;
  EXPECT_EQ(
      message_of([&] { ga::memories().free(&mine); }),
      "ptr is " + address.str() + "; expected what GA_Getmem gave and GA_Freemem did not free");
  void* const memory = GA_Getmem(C_INT, 1, GA_Pgroup_get_world());
  GA_Freemem(memory);
  EXPECT_NE(message_of([&] { ga::memories().free(memory); }), "no error");
  EXPECT_NE(message_of([] { ga::memories().free(nullptr); }), "no error");
}

TEST(GaMemory, CIsSeenAsC) { EXPECT_EQ(GA_Uses_fapi(), 0); }

TEST(GaAssemble, AnArrayHasTheMemoryAsItsBlocks) {
  const int model = ga_test::create(C_DBL, dims());
  const Box box = mine(model);
  const std::int64_t count = owner(box) ? box.elements() : 0;
  auto* const memory = static_cast<double*>(
      GA_Getmem(C_DBL, static_cast<int>(count) + GA_Nodeid(), GA_Pgroup_get_world()));
  if (count > 0)
    box.each([&](const std::vector<int>& at, std::int64_t k) { memory[k] = value_at(at); });
  const int g_a = GA_Assemble_duplicate(model, "assembled", memory);
  EXPECT_STREQ(GA_Inquire_name(g_a), "assembled");
  EXPECT_EQ(GA_Compare_distr(model, g_a), 0);
  GA_Sync();
  EXPECT_EQ(ga_test::contents<double>(g_a, dims()).data, expected().data);
  EXPECT_EQ(ga_test::contents<double>(model, dims()).data, expected(0).data);
  double_all(g_a);
  if (count > 0)
    box.each([&](const std::vector<int>& at, std::int64_t k) {
      EXPECT_EQ(memory[k], 2 * value_at(at));
    });
  // Freeing the memory leaves it to the array.
  GA_Freemem(memory);
  void* const others = GA_Getmem(C_DBL, 1000, GA_Pgroup_get_world());
  EXPECT_EQ(ga_test::contents<double>(g_a, dims()).data, expected(2).data);
  GA_Freemem(others);
  const int copy = GA_Duplicate(g_a, "memory of its own");
  GA_Copy(g_a, copy);
  GA_Destroy(g_a);
  EXPECT_EQ(ga_test::contents<double>(copy, dims()).data, expected(2).data);
  GA_Sync();
  GA_Destroy(copy);
  GA_Destroy(model);
}

TEST(GaAssemble, DestroyingTheArrayLeavesTheMemory) {
  const int model = ga_test::create(C_DBL, dims());
  const int elements = 13 * 9;
  auto* const memory = static_cast<double*>(GA_Getmem(C_DBL, elements, GA_Pgroup_get_world()));
  for (int round = 0; round < 3; ++round) {
    std::iota(memory, memory + elements, GA_Nodeid() + round);
    const int g_a = GA_Assemble_duplicate(model, "again", memory);
    GA_Destroy(g_a);
    const int other = GA_Duplicate(model, "beside");  // would get the memory if it were free
    std::vector<double> right(elements);
    std::iota(right.begin(), right.end(), GA_Nodeid() + round);
    EXPECT_EQ(std::vector<double>(memory, memory + elements), right);
    GA_Destroy(other);
  }
  GA_Freemem(memory);
  GA_Destroy(model);
}

TEST(GaAssemble, RefusesTooLittleMemoryOnAllProcesses) {
  const int model = ga_test::create(C_DBL, dims());
  const Box box = mine(model);
  const std::int64_t count = owner(box) ? box.elements() : 0;
  const bool short_of_one = GA_Nodeid() == 0;
  void* const memory =
      GA_Getmem(C_DBL, static_cast<int>(count) - (short_of_one ? 1 : 0), GA_Pgroup_get_world());
  const int g_a = handle_of(C_DBL, dims());
  const std::string message =
      message_of([&] { ga::array_of(g_a).allocate_in(ga::memories().at(memory)); });
  EXPECT_TRUE(contains(message, "rank 0 needs memory for")) << message;
  int nothing = 0;
  EXPECT_TRUE(contains(message_of([&] { ga::assemble_duplicate(model, "", &nothing); }), "ptr is"));
  GA_Destroy(g_a);
  GA_Freemem(memory);
  GA_Destroy(model);
}

TEST(GaOverlay, AnArrayLiesInItsParentsMemory) {
  const int parent = filled_on(GA_Pgroup_get_world());
  const int same = handle_of(C_DBL, dims());
  EXPECT_EQ(GA_Overlay(same, parent), 1);
  EXPECT_EQ(block_of(same), block_of(parent));
  EXPECT_EQ(ga_test::contents<double>(same, dims()).data, expected().data);
  double_all(same);
  EXPECT_EQ(ga_test::contents<double>(parent, dims()).data, expected(2).data);
  GA_Sync();
  GA_Destroy(same);
  EXPECT_EQ(ga_test::contents<double>(parent, dims()).data, expected(2).data);
  GA_Sync();
  GA_Destroy(parent);
}

TEST(GaOverlay, ShapesAndTypesMayDiffer) {
  const int parent = filled_on(GA_Pgroup_get_world());
  const std::vector<int> shape = {3, 2, 5};
  const int g_a = handle_of(C_INT, shape);
  EXPECT_EQ(NGA_Overlay(g_a, parent), 1);
  GA_Zero(g_a);
  const Box box = mine(g_a);
  if (owner(box)) {
    EXPECT_EQ(block_of(g_a), block_of(parent));
  }
  int lo[] = {0, 0, 0}, hi[] = {2, 1, 4}, ld[] = {2, 5};
  std::vector<int> values(30);
  std::iota(values.begin(), values.end(), 7);
  GA_Sync();
  if (GA_Nodeid() == 0) NGA_Put(g_a, lo, hi, values.data(), ld);
  GA_Sync();
  EXPECT_EQ(ga_test::contents<int>(g_a, shape).data, values);
  if (owner(box)) {
    // What is the parent's begins with the bytes of my block.
    std::vector<int> there(static_cast<std::size_t>(box.elements()));
    std::memcpy(there.data(), block_of(parent), there.size() * sizeof(int));
    ga_test::Model<int> all{shape, values};
    box.each([&](const std::vector<int>& at, std::int64_t k) {
      EXPECT_EQ(there[static_cast<std::size_t>(k)], all.at(at));
    });
  }
  GA_Sync();
  GA_Destroy(g_a);
  GA_Destroy(parent);
}

TEST(GaOverlay, TheParentMayGoFirst) {
  for (int round = 0; round < 20; ++round) {
    const int parent = filled_on(GA_Pgroup_get_world());
    const int first = handle_of(C_DBL, dims()), second = handle_of(C_DBL, dims());
    GA_Overlay(first, parent);
    GA_Overlay(second, first);
    GA_Destroy(parent);
    GA_Destroy(first);
    const int other = ga_test::create(C_DBL, dims());
    EXPECT_EQ(ga_test::contents<double>(second, dims()).data, expected().data);
    GA_Sync();
    GA_Destroy(second);
    GA_Destroy(other);
  }
}

TEST(GaOverlay, MayBeDeallocatedAndAllocatedByItself) {
  const int parent = filled_on(GA_Pgroup_get_world());
  const int g_a = handle_of(C_DBL, dims());
  GA_Overlay(g_a, parent);
  GA_Deallocate(g_a);
  EXPECT_EQ(GA_Allocate(g_a), 1);
  EXPECT_EQ(ga_test::contents<double>(g_a, dims()).data, expected(0).data);
  EXPECT_EQ(ga_test::contents<double>(parent, dims()).data, expected().data);
  GA_Sync();
  GA_Destroy(g_a);
  GA_Destroy(parent);
}

TEST(GaOverlay, LiesOnItsParentsGroup) {
  std::vector<int> odd;
  for (int p = 1; p < GA_Nnodes(); p += 2) odd.push_back(p);
  if (odd.empty()) GTEST_SKIP() << "one process";
  const int group = GA_Pgroup_create(odd.data(), static_cast<int>(odd.size()));
  if (GA_Nodeid() % 2 == 1) {
    const int parent = filled_on(group);
    const int g_a = handle_of(C_DBL, dims());
    GA_Overlay(g_a, parent);
    EXPECT_EQ(GA_Get_pgroup(g_a), group);
    EXPECT_EQ(ga_test::contents<double>(g_a, dims()).data, expected().data);
    GA_Pgroup_sync(group);
    GA_Destroy(g_a);
    GA_Destroy(parent);
  }
  GA_Sync();
  GA_Pgroup_destroy(group);
}

TEST(GaOverlay, RefusesWhatDoesNotFit) {
  const int parent = filled_on(GA_Pgroup_get_world());
  const int large = handle_of(C_DCPL, dims());
  EXPECT_TRUE(contains(message_of([&] { ga::overlay(large, parent); }), "needs memory for"));
  EXPECT_FALSE(ga::array_of(large).allocated());
  GA_Destroy(large);
  const int empty = handle_of(C_DBL, dims());
  EXPECT_TRUE(contains(message_of([&] { ga::overlay(empty, empty); }), "is not allocated"));
  EXPECT_TRUE(contains(message_of([&] { ga::overlay(parent, parent); }), "is allocated already"));
  const int bare = GA_Create_handle();
  EXPECT_TRUE(contains(message_of([&] { ga::overlay(bare, parent); }), "GA_Set_data"));
  GA_Destroy(bare);
  EXPECT_TRUE(contains(message_of([&] { ga::overlay(empty, -1); }), "no array"));
  if (GA_Nnodes() > 1) {
    std::vector<int> first = {0};
    GA_Set_restricted(empty, first.data(), 1);
    const int last = handle_of(C_DBL, dims());
    first[0] = GA_Nnodes() - 1;
    GA_Set_restricted(last, first.data(), 1);
    GA_Allocate(last);
    EXPECT_TRUE(contains(message_of([&] { ga::overlay(empty, last); }),
                         "not of the processes that the memory lies on"));
    GA_Destroy(last);
  }
  GA_Destroy(empty);
  int shape[] = {4, 4};
  const int mirror = NGA_Create_config(C_DBL, 2, shape, "m", nullptr, GA_Pgroup_get_mirror());
  if (GA_Cluster_nnodes() > 1) {
    const int small = handle_of(C_DBL, {4, 4});
    EXPECT_TRUE(contains(message_of([&] { ga::overlay(small, mirror); }), "is mirrored"));
    GA_Destroy(small);
  }
  GA_Destroy(mirror);
  EXPECT_EQ(ga_test::contents<double>(parent, dims()).data, expected().data);
  GA_Sync();
  GA_Destroy(parent);
}

#ifdef ATOLL_TEST_FORTRAN
TEST(GaOverlay, AnswersToItsFortranNames) {
  Integer line = -1;
  overlays_in_fortran_(&line);
  EXPECT_EQ(line, 0) << "the check in that line of overlays_program.F90 failed";
}
#endif

}  // namespace
