// Global pointer arrays: objects of all sizes, also of no bytes, and elements without an object,
// against a model that every process computes from the subscript.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>

#include "compat/gp/session.hpp"
#include "gp_support.hpp"

using namespace gp_test;

namespace {

std::vector<Subscript> random_list(const Subscript& dims, std::size_t count, std::mt19937& random) {
  std::vector<Subscript> list(count);
  for (Subscript& at : list) at = ga_test::random_box(dims, random).lo;
  return list;
}

const auto as_assigned = [](const Subscript& at) { return object_of(at); };
const auto as_changed = [](const Subscript& at) { return object_of(at, 1); };

std::mt19937 my_random() { return std::mt19937(static_cast<unsigned>(7 + GA_Nodeid())); }

class GpCuts : public testing::TestWithParam<std::pair<Subscript, Pointers::Cut>> {};

TEST_P(GpCuts, PatchesAndListsGiveTheObjectsThatTheirOwnersAssigned) {
  const auto& [dims, cut] = GetParam();
  const Pointers array(dims, cut);
  std::mt19937 random = my_random();
  expect_patch(array, array.all(), as_assigned);
  for (int i = 0; i < 5; ++i) {
    expect_patch(array, ga_test::random_box(dims, random), as_assigned);
    expect_list(array, random_list(dims, 10, random), as_assigned);
  }
  expect_list(array, {}, as_assigned);
}

TEST_P(GpCuts, EveryElementHasOneOwner) {
  const auto& [dims, cut] = GetParam();
  const Pointers array(dims, cut);
  std::multiset<Subscript> owned;
  for (int process = 0; process < GA_Nnodes(); ++process) {
    const Box box = array.patch_of(process);
    if (box.lo[0] >= 0)
      box.each([&](const Subscript& at, std::int64_t) { owned.insert(at); });
    else
      EXPECT_EQ(box.hi, Subscript(dims.size(), -2));
  }
  std::multiset<Subscript> all;
  array.all().each([&](const Subscript& at, std::int64_t) { all.insert(at); });
  EXPECT_EQ(owned, all);
}

INSTANTIATE_TEST_SUITE_P(
    Gp, GpCuts,
    testing::Values(std::pair<Subscript, Pointers::Cut>{{23}, Pointers::Cut::free},
                    std::pair<Subscript, Pointers::Cut>{{9, 13}, Pointers::Cut::free},
                    std::pair<Subscript, Pointers::Cut>{{9, 13}, Pointers::Cut::chunks},
                    std::pair<Subscript, Pointers::Cut>{{4, 17}, Pointers::Cut::irregular},
                    std::pair<Subscript, Pointers::Cut>{{3, 2, 2, 2, 2, 2, 3},
                                                        Pointers::Cut::free}));

TEST(Gp, PuttingPatchesChangesTheirObjectsAndNoOthers) {
  const Pointers array({11, 12});
  Box box{{2, 3}, {9, 7}};
  if (GA_Nodeid() == GA_Nnodes() - 1) {
    Fetched from(box);
    std::vector<Bytes> objects(static_cast<std::size_t>(box.elements()));
    std::size_t total = 0;
    box.each([&](const Subscript& at, std::int64_t k) {
      Bytes& object = objects[static_cast<std::size_t>(k)] = object_of(at, 1);
      from.pointer(at) = object.data();
      from.size(at) = static_cast<int>(object.size());
      total += object.size();
    });
    int put = -1;
    GP_Put(array.handle, box.lo.data(), box.hi.data(), from.pointers.data(), from.ld.data(),
           from.sizes.data(), from.ld_sizes.data(), &put, 1);
    EXPECT_EQ(static_cast<std::size_t>(put), total);
  }
  GP_Sync();
  expect_patch(array, array.all(), [&](const Subscript& at) {
    const bool inside =
        at[0] >= box.lo[0] && at[0] <= box.hi[0] && at[1] >= box.lo[1] && at[1] <= box.hi[1];
    return object_of(at, inside ? 1 : 0);
  });
}

TEST(Gp, ScatteringWritesToTheElementsOfTheList) {
  const Pointers array({6, 5, 4});
  // Each process has every so many of the elements.
  std::vector<int> flat, sizes;
  std::vector<Bytes> objects;
  array.all().each([&](const Subscript& at, std::int64_t k) {
    if (k % GA_Nnodes() != GA_Nodeid()) return;
    flat.insert(flat.end(), at.begin(), at.end());
    objects.push_back(object_of(at, 1));
    sizes.push_back(static_cast<int>(objects.back().size()));
  });
  std::vector<void*> pointers;
  for (Bytes& object : objects) pointers.push_back(object.data());
  int put = -1;
  GP_Scatter(array.handle, static_cast<int>(objects.size()), flat.data(), pointers.data(),
             sizes.data(), &put, 1);
  EXPECT_EQ(put, std::accumulate(sizes.begin(), sizes.end(), 0));
  GP_Sync();
  expect_patch(array, array.all(), as_changed);
}

TEST(Gp, WithoutCheckingSizesTheRestOfAnObjectStays) {
  const Pointers array({40});
  int which = 0;
  while (object_of({which}).size() < 2) ++which;
  Bytes expected = object_of({which});
  expected[0] = 99;
  if (GA_Nodeid() == GA_Nnodes() - 1) {
    unsigned char byte = 99;
    void* pointer = &byte;
    int one = 1, put = -1;
    GP_Scatter(array.handle, 1, &which, &pointer, &one, &put, 0);
    EXPECT_EQ(put, 1);
  }
  GP_Sync();
  expect_list(array, {{which}}, [&](const Subscript&) { return expected; });
}

TEST(Gp, ZeroingLeavesSizes) {
  const Pointers array({13, 8});
  GP_Memzero(array.handle);
  expect_patch(array, array.all(),
               [](const Subscript& at) { return Bytes(object_of(at).size(), 0); });
}

TEST(Gp, OwnersChangeObjectsInPlace) {
  const Pointers array({10, 9});
  array.each_of_mine([&](int* at, const Subscript& subscript) {
    unsigned char* object = nullptr;
    int size = -1;
    GP_Access_element(array.handle, at, &object, &size);
    EXPECT_EQ(object != nullptr, has_object(subscript));
    ASSERT_EQ(Bytes(object, object + size), object_of(subscript));
    const Bytes changed = object_of(subscript, 1);
    std::copy(changed.begin(), changed.end(), object);
    GP_Release_update_element(array.handle, at);
  });
  GP_Sync();
  expect_patch(array, array.all(), as_changed);
}

TEST(Gp, ProcessesOfANodeAccessEachOthersObjects) {
  const Pointers array({30});
  for (int process = 0; process < GA_Nnodes(); ++process) {
    if (GA_Cluster_proc_nodeid(process) != GA_Cluster_nodeid()) continue;
    const Box box = array.patch_of(process);
    if (box.lo[0] < 0) continue;
    box.each([&](Subscript at, std::int64_t) {
      unsigned char* object = nullptr;
      int size = -1;
      GP_Access_element(array.handle, at.data(), &object, &size);
      EXPECT_EQ(Bytes(object, object + size), object_of(at));
      GP_Release_element(array.handle, at.data());
    });
  }
}

TEST(Gp, ObjectsTakenOutComeBackAndTheirElementsAreEmpty) {
  const Pointers array({7, 9});
  array.each_of_mine([&](int* at, const Subscript& subscript) {
    void* object = GP_Free_local_element(array.handle, at);
    const Bytes expected = object_of(subscript);
    ASSERT_EQ(object != nullptr, has_object(subscript));
    const auto* bytes = static_cast<unsigned char*>(object);
    EXPECT_EQ(Bytes(bytes, bytes + expected.size()), expected);
    EXPECT_EQ(GP_Free_local_element(array.handle, at), nullptr);
    GP_Free(object);
  });
  GP_Sync();
  int bytes = -1;
  Box all = array.all();
  GP_Get_size(array.handle, all.lo.data(), all.hi.data(), &bytes);
  EXPECT_EQ(bytes, 0);
}

TEST(Gp, SeveralElementsMayLieInOnePieceOfMemory) {
  const Pointers array({12});
  unsigned char* memory = static_cast<unsigned char*>(GP_Malloc(static_cast<std::size_t>(12)));
  array.each_of_mine([&](int* at, const Subscript&) {
    memory[*at] = static_cast<unsigned char>(*at + 100);
    GP_Assign_local_element(array.handle, at, memory + *at, 1);
  });
  GP_Sync();
  int lo = 0, hi = 11, size = -1;
  Bytes buffer(12), expected(12);
  std::vector<void*> pointers(12);
  std::vector<int> sizes(12);
  std::iota(expected.begin(), expected.end(), static_cast<unsigned char>(100));
  GP_Get(array.handle, &lo, &hi, buffer.data(), pointers.data(), nullptr, sizes.data(), nullptr,
         &size, 0);
  EXPECT_EQ(buffer, expected);
  EXPECT_EQ(sizes, std::vector<int>(12, 1));
}

TEST(Gp, FreedMemoryBecomesOnePieceAgain) {
  GP_Initialize();
  // So large that pieces lost would be missed.
  const auto piece = static_cast<std::size_t>(
      lagoon::atoll::gp::Session::get().pool.memory().bytes(GA_Nodeid()) / 7);
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> parts;
    for (int i = 0; i < 6; ++i) parts.push_back(GP_Malloc(piece));
    EXPECT_EQ(std::set<void*>(parts.begin(), parts.end()).size(), parts.size());
    for (const int i : {1, 3, 2, 0, 5, 4}) GP_Free(parts[static_cast<std::size_t>(i)]);
    GP_Free(GP_Malloc(6 * piece));
  }
  GP_Free(nullptr);
  GP_Terminate();
}

/// Each element of a vector that is mine becomes an int, its position and a thousand. Collective.
void assign_own_elements(int handle) {
  int lo = -1, hi = -2;
  GP_Distribution(handle, GA_Nodeid(), &lo, &hi);
  for (int at = lo; at >= 0 && at <= hi; ++at) {
    auto* value = static_cast<int*>(GP_Malloc(sizeof(int)));
    *value = at + 1000;
    GP_Assign_local_element(handle, &at, value, sizeof(int));
  }
  GP_Sync();
}

TEST(Gp, ObjectsMayLieFarBeyond256MiB) {
  GP_Initialize();
  void* const far = GP_Malloc(std::size_t{300} << 20);  // addresses alone: nobody touches them
  const int handle = GP_Create_handle(), n = GA_Nnodes();
  int dim = n;
  GP_Set_dimensions(handle, 1, &dim);
  EXPECT_EQ(GP_Allocate(handle), 1);
  assign_own_elements(handle);
  int first = 0, last = n - 1, size = -1;
  std::vector<int> values(static_cast<std::size_t>(n)), expected(values), sizes(values);
  std::vector<void*> pointers(values.size());
  std::iota(expected.begin(), expected.end(), 1000);
  GP_Get(handle, &first, &last, values.data(), pointers.data(), nullptr, sizes.data(), nullptr,
         &size, 0);
  EXPECT_EQ(values, expected);
  GP_Sync();
  EXPECT_EQ(GP_Destroy(handle), 1);
  GP_Free(far);
  GP_Terminate();
}

TEST(Gp, HandlesCountFromZeroAndAreUsedAgain) {
  GP_Initialize();
  EXPECT_EQ(GP_Create_handle(), 0);
  EXPECT_EQ(GP_Create_handle(), 1);
  EXPECT_EQ(GP_Create_handle(), 2);
  EXPECT_EQ(GP_Destroy(1), 1);
  EXPECT_EQ(GP_Create_handle(), 1);
  EXPECT_EQ(GP_Destroy(-1), 0);
  GP_Terminate();
  GP_Terminate();
}

TEST(Gp, ArraysOfAGroupAreReadByItsMembers) {
  GP_Initialize();
  const int group = GA_Pgroup_split_irreg(GA_Pgroup_get_world(), GA_Nodeid() % 2);
  const int before = GA_Pgroup_get_default();
  GA_Pgroup_set_default(group);
  const int handle = GP_Create_handle();
  int dim = 10, size = -1;
  GP_Set_dimensions(handle, 1, &dim);
  EXPECT_EQ(GP_Allocate(handle), 1);
  assign_own_elements(handle);
  int lo = 0, hi = 9;
  std::vector<int> values(10), expected(10), sizes(10);
  std::vector<void*> pointers(10);
  std::iota(expected.begin(), expected.end(), 1000);
  GP_Get(handle, &lo, &hi, values.data(), pointers.data(), nullptr, sizes.data(), nullptr, &size,
         0);
  EXPECT_EQ(values, expected);
  GP_Sync();
  EXPECT_EQ(GP_Destroy(handle), 1);
  GA_Pgroup_set_default(before);
  GA_Sync();
  GA_Pgroup_destroy(group);
  GP_Terminate();
}

TEST(Gp, DebuggingTellsWhatEachElementHolds) {
  const Pointers array({4});
  testing::internal::CaptureStdout();
  GP_Debug(array.handle);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(text.find("global pointer array 0, process " + std::to_string(GA_Nodeid())), 0u)
      << text;
  array.each_of_mine([&](int*, const Subscript& at) {
    const std::string expected =
        has_object(at) ? std::to_string(object_of(at).size()) + " bytes" : "nothing";
    EXPECT_NE(text.find(": " + expected), std::string::npos) << text;
  });
}

}  // namespace
