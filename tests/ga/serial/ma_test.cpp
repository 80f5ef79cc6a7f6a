// MA: what programs ask of the stack and the heap, by its C names; what it says of misuse. Each
// test begins with an MA that nobody has initialized. In one process.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "compat/ma/session.hpp"
#include "ga/macdecls.h"
#include "ma_programs.hpp"

namespace {

class MemoryAllocator : public testing::Test {
 protected:
  MemoryAllocator() { lagoon::atoll::ma::Session::get() = {}; }
  void begin(Integer stack = 1000, Integer heap = 1000) {
    ASSERT_EQ(MA_init(MT_DBL, stack, heap), MA_TRUE);
  }
};

/// What the body prints to standard error, of which the call failed.
template <class Call>
std::string error_of(Call call) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(), 0);
  return testing::internal::GetCapturedStderr();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Integer push(Integer elements, Integer type = MT_DBL) {
  Integer handle = -1;
  EXPECT_EQ(MA_push_stack(type, elements, "pushed", &handle), MA_TRUE);
  return handle;
}

Integer allocate(Integer elements, Integer type = MT_DBL) {
  Integer handle = -1;
  EXPECT_EQ(MA_allocate_heap(type, elements, "allocated", &handle), MA_TRUE);
  return handle;
}

TEST_F(MemoryAllocator, IsInitializedOnceAndBeforeAllElse) {
  Integer handle = 0;
  EXPECT_EQ(MA_initialized(), MA_FALSE);
  EXPECT_TRUE(contains(error_of([&] { return MA_push_stack(MT_DBL, 1, "early", &handle); }),
                       "MA_push_stack: MA is not initialized yet"));
  EXPECT_TRUE(contains(error_of([] { return MA_inquire_avail(MT_DBL); }), "not initialized"));
  begin();
  EXPECT_EQ(MA_initialized(), MA_TRUE);
  EXPECT_TRUE(contains(error_of([] { return MA_init(MT_DBL, 1, 1); }), "initialized already"));
}

TEST_F(MemoryAllocator, RefusesSizesBeyondTheAddressSpaceAndOfNoType) {
  const Integer most = std::numeric_limits<Integer>::max();
  EXPECT_TRUE(contains(error_of([&] { return MA_init(3, -1, -1); }), "datatype is 3"));
  if (sizeof(Integer) == 4) {  // which cannot say such sizes
    EXPECT_TRUE(contains(error_of([&] { return MA_sizeof(MT_DBL, most / 4, MT_CHAR); }),
                         "more than an integer holds"));
  } else {
    EXPECT_TRUE(contains(error_of([&] { return MA_init(MT_DBL, most, 1); }), "address space"));
    EXPECT_TRUE(contains(error_of([&] { return MA_init(MT_CHAR, most / 4, 1); }), "cannot get"));
  }
  begin();
}

TEST_F(MemoryAllocator, TakesADefaultForNegativeSizes) {
  begin(MA_DEFAULT_SPACE, -7);
  EXPECT_EQ(MA_inquire_heap(MT_CHAR), 64 << 20);
  EXPECT_EQ(MA_inquire_stack(MT_CHAR), 64 << 20);
}

/// Memory pages of this process that are there.
long resident_pages() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

TEST_F(MemoryAllocator, TakesOnlyTheMemoryThatIsUsed) {
  const long before = resident_pages();
  ASSERT_EQ(MA_init(MT_CHAR, 1 << 30, 1 << 30), MA_TRUE);
  Integer handle = 0;
  EXPECT_EQ(MA_allocate_heap(MT_CHAR, 1 << 30, "large", &handle), MA_TRUE);
  EXPECT_LT(resident_pages() - before, 1000);
  EXPECT_EQ(MA_free_heap(handle), MA_TRUE);
}

TEST_F(MemoryAllocator, GivesIndicesThatReachTheElementsFromTheirBases) {
  begin();
  Integer handle = 0;
  MA_AccessIndex index = 0;
  ASSERT_EQ(MA_push_get(MT_DBL, 10, "doubles", &handle, &index), MA_TRUE);
  double* doubles = nullptr;
  ASSERT_EQ(MA_get_pointer(handle, static_cast<void*>(&doubles)), MA_TRUE);
  EXPECT_EQ(ma_cb_dbl + index, doubles);
  MA_AccessIndex again = 0;
  EXPECT_EQ(MA_get_index(handle, &again), MA_TRUE);
  EXPECT_EQ(again, index);
  EXPECT_EQ(MA_pop_stack(handle), MA_TRUE);
  // Every type, behind blocks of odd sizes.
  for (Integer type = MT_FIRST; type <= MT_LAST; ++type)
    for (Integer odd_bytes = 0; odd_bytes < 65; odd_bytes += 13) {
      const Integer odd = allocate(odd_bytes, MT_CHAR);
      ASSERT_EQ(MA_alloc_get(type, 3, "any", &handle, &index), MA_TRUE);
      char* elements = nullptr;
      ASSERT_EQ(MA_get_pointer(handle, static_cast<void*>(&elements)), MA_TRUE);
      EXPECT_EQ(MA_get_mbase(type) + index * MA_sizeof(type, 1, MT_CHAR), elements) << type;
      EXPECT_EQ(MA_free_heap(handle), MA_TRUE);
      EXPECT_EQ(MA_free_heap(odd), MA_TRUE);
    }
}

TEST_F(MemoryAllocator, PopsTheLastFirstAndChopsAllAboveABlock) {
  begin();
  const Integer first = push(10), second = push(20), third = push(30);
  const std::string told = error_of([&] { return MA_pop_stack(second); });
  EXPECT_TRUE(contains(told, "('pushed') is not on top of the stack")) << told;
  EXPECT_EQ(MA_pop_stack(third), MA_TRUE);
  EXPECT_TRUE(contains(error_of([&] { return MA_pop_stack(third); }), "freed already"));
  const Integer fourth = push(40);
  EXPECT_EQ(MA_chop_stack(first), MA_TRUE);
  for (const Integer gone : {first, second, fourth})
    EXPECT_TRUE(contains(error_of([&] { return MA_chop_stack(gone); }), "freed already"));
  EXPECT_EQ(MA_inquire_stack(MT_DBL), 1000);
}

TEST_F(MemoryAllocator, FreesTheHeapInAnyOrderAndTellsMisuse) {
  begin();
  const Integer a = allocate(10), b = allocate(20), on_stack = push(5);
  EXPECT_TRUE(contains(error_of([&] { return MA_free_heap(on_stack); }), "is not on the heap"));
  EXPECT_TRUE(contains(error_of([&] { return MA_pop_stack(a); }), "is not on the stack"));
  EXPECT_EQ(MA_free_heap(a), MA_TRUE);
  EXPECT_EQ(MA_free_heap(b), MA_TRUE);
  EXPECT_TRUE(contains(error_of([&] { return MA_free_heap(b); }), "freed already"));
  EXPECT_TRUE(contains(error_of([&] { return MA_free_heap(77); }), "memhandle is 77"));
  EXPECT_TRUE(contains(error_of([&] { return MA_free_heap(-1); }), "memhandle is -1"));
  Integer handle = 0;
  EXPECT_TRUE(
      contains(error_of([&] { return MA_allocate_heap(3, 1, "x", &handle); }), "datatype is 3"));
  EXPECT_TRUE(contains(error_of([&] { return MA_allocate_heap(MT_DBL, -1, "x", &handle); }),
                       "nelem is -1"));
}

TEST_F(MemoryAllocator, FreesThePieceAtTheEndOfABlock) {
  begin();
  const Integer shrinking = allocate(100);
  double* elements = nullptr;
  ASSERT_EQ(MA_get_pointer(shrinking, static_cast<void*>(&elements)), MA_TRUE);
  for (int i = 0; i < 100; ++i) elements[i] = i;
  const Integer before = MA_inquire_heap(MT_DBL);
  EXPECT_EQ(MA_free_heap_piece(shrinking, 40), MA_TRUE);
  EXPECT_EQ(MA_inquire_heap(MT_DBL), before + 40);
  EXPECT_EQ(elements[59], 59.0);
  EXPECT_EQ(MA_verify_allocator_stuff(), MA_TRUE);
  EXPECT_TRUE(contains(error_of([&] { return MA_free_heap_piece(shrinking, -1); }), "nelem is -1"));
  EXPECT_EQ(MA_free_heap_piece(shrinking, 60), MA_TRUE);
  EXPECT_TRUE(contains(error_of([&] { return MA_free_heap(shrinking); }), "freed already"));
  EXPECT_EQ(MA_inquire_heap(MT_DBL), 1000);
}

TEST_F(MemoryAllocator, TellsWhatOneMoreBlockCouldHold) {
  begin();
  EXPECT_EQ(MA_inquire_heap(MT_DBL), 1000);
  EXPECT_EQ(MA_inquire_stack(MT_DBL), 1000);
  EXPECT_GE(MA_inquire_avail(MT_DBL), 2000);
  EXPECT_EQ(MA_inquire_heap(MT_DCPL), 500);
  const Integer fragment = allocate(800), behind = allocate(10);
  EXPECT_EQ(MA_free_heap(fragment), MA_TRUE);
  EXPECT_EQ(MA_inquire_heap(MT_DBL), 800);
  const Integer across = push(1150);
  EXPECT_EQ(MA_inquire_stack(MT_DBL), 0);
  EXPECT_EQ(MA_inquire_stack_check_heap(MT_DBL), MA_inquire_avail(MT_DBL));
  EXPECT_EQ(MA_inquire_heap_check_stack(MT_DBL), 800);
  EXPECT_EQ(MA_inquire_heap_no_partition(MT_DBL), 800);
  EXPECT_LT(MA_inquire_avail(MT_DBL), 100);
  EXPECT_EQ(MA_pop_stack(across), MA_TRUE);
  EXPECT_EQ(MA_free_heap(behind), MA_TRUE);
  // As much as it says fits, and no more.
  for (const auto& [ask, take] : {std::pair{&MA_inquire_heap_no_partition, &MA_allocate_heap},
                                  std::pair{&MA_inquire_stack_no_partition, &MA_push_stack}}) {
    const Integer most = ask(MT_CHAR);
    Integer handle = 0;
    EXPECT_TRUE(
        contains(error_of([&, &take = take] { return take(MT_CHAR, most + 16, "more", &handle); }),
                 "block 'more'"));
    ASSERT_EQ(take(MT_CHAR, most, "most", &handle), MA_TRUE);
    EXPECT_EQ(MA_inquire_avail(MT_CHAR), 0);
    EXPECT_EQ(take == &MA_push_stack ? MA_pop_stack(handle) : MA_free_heap(handle), MA_TRUE);
  }
}

TEST_F(MemoryAllocator, HoldsWhatOverheadAndSizesPromise) {
  EXPECT_EQ(MA_sizeof(MT_DBL, 10, MT_INT), 20);
  EXPECT_EQ(MA_sizeof(MT_CHAR, 10, MT_DBL), 2);
  EXPECT_EQ(MA_sizeof(MT_INT, 3, MT_DCPL), 1);
  EXPECT_EQ(MA_sizeof(MT_F_INT, 1, MT_CHAR), static_cast<Integer>(sizeof(Integer)));
  EXPECT_TRUE(contains(error_of([] { return MA_sizeof(MT_INT, -1, MT_CHAR); }), "nelem is -1"));
  // Programs add up what they will push, and its overhead.
  for (const Integer type : {MT_CHAR, MT_INT, MT_DBL, MT_DCPL, MT_LDCPL}) {
    lagoon::atoll::ma::Session::get() = {};
    Integer total = 0;
    for (Integer i = 0; i < 100; ++i) total += i % 7 + MA_sizeof_overhead(type);
    ASSERT_EQ(MA_init(type, total, 0), MA_TRUE);
    for (Integer i = 0; i < 100; ++i) push(i % 7, type);
  }
}

TEST_F(MemoryAllocator, AlignsElementsAsAskedFor) {
  begin(4000, 4000);
  Integer exponent = -1;
  EXPECT_EQ(MA_get_numalign(&exponent), MA_TRUE);
  EXPECT_EQ(exponent, 0);
  EXPECT_TRUE(contains(error_of([] { return MA_set_numalign(40); }), "2^40"));
  EXPECT_EQ(MA_set_numalign(7), MA_TRUE);
  for (int i = 1; i < 10; ++i)
    for (const Integer handle : {push(i, MT_INT), allocate(i, MT_CHAR)}) {
      char* elements = nullptr;
      ASSERT_EQ(MA_get_pointer(handle, static_cast<void*>(&elements)), MA_TRUE);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(elements) % 128, 0U);
    }
  EXPECT_EQ(MA_verify_allocator_stuff(), MA_TRUE);
}

TEST_F(MemoryAllocator, FindsWhatWasWrittenBesideABlock) {
  begin();
  const Integer handle = allocate(10);
  double* elements = nullptr;
  ASSERT_EQ(MA_get_pointer(handle, static_cast<void*>(&elements)), MA_TRUE);
  for (const int at : {-1, 10}) {
    double kept = 0;
    std::memcpy(&kept, elements + at, sizeof kept);
    elements[at] = 3;
    const std::string told = error_of([] { return MA_verify_allocator_stuff(); });
    EXPECT_TRUE(contains(told, at < 0 ? "'allocated'): somebody wrote before" : "wrote behind"));
    EXPECT_TRUE(contains(error_of([&] { return MA_free_heap(handle); }), "somebody wrote beside"));
    EXPECT_EQ(MA_set_auto_verify(MA_TRUE), MA_FALSE);
    EXPECT_TRUE(contains(error_of([] { return MA_inquire_avail(MT_DBL); }), "are damaged"));
    EXPECT_EQ(MA_initialized(), MA_TRUE);
    EXPECT_EQ(MA_set_auto_verify(MA_FALSE), MA_TRUE);
    std::memcpy(elements + at, &kept, sizeof kept);
  }
  EXPECT_EQ(MA_free_heap(handle), MA_TRUE);
}

TEST_F(MemoryAllocator, KeepsQuietWhenToldTo) {
  begin();
  EXPECT_EQ(MA_set_error_print(MA_FALSE), MA_TRUE);
  EXPECT_EQ(error_of([] { return MA_free_heap(5); }), "");
  EXPECT_EQ(MA_set_error_print(MA_TRUE), MA_FALSE);
  EXPECT_NE(error_of([] { return MA_free_heap(5); }), "");
}

TEST_F(MemoryAllocator, ListsItsBlocksAndWhatWasUsed) {
  begin();
  const Integer heap = allocate(10), low = push(20), high = push(5, MT_INT);
  Integer iterator = 0, found = 0;
  std::vector<Integer> all;
  ASSERT_EQ(MA_init_memhandle_iterator(&iterator), MA_TRUE);
  while (MA_get_next_memhandle(&iterator, &found) == MA_TRUE) all.push_back(found);
  EXPECT_EQ(all, (std::vector<Integer>{heap, high, low}));
  testing::internal::CaptureStdout();
  MA_trace(MA_TRUE);
  EXPECT_EQ(MA_pop_stack(high), MA_TRUE);
  MA_trace(MA_FALSE);
  EXPECT_EQ(MA_free_heap(heap), MA_TRUE);
  MA_summarize_allocated_blocks();
  MA_print_stats(MA_TRUE);
  const std::string told = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(contains(told, "MA: popping 'pushed'"));
  EXPECT_FALSE(contains(told, "freeing"));
  EXPECT_TRUE(contains(told, "0 blocks on the heap, 1 on the stack"));
  EXPECT_TRUE(contains(told, "1 calls of MA_free_heap\n"));
}

TEST_F(MemoryAllocator, KeepsAllContentsInAnyOrderOfCalls) {
  struct Live {
    unsigned char* elements;
    std::size_t bytes;
    unsigned char value;
    bool on_stack;
  };
  begin(20000, 20000);
  const Integer at_first = MA_inquire_avail(MT_CHAR);
  std::mt19937 random(7);
  std::map<Integer, Live> live;
  std::vector<Integer> stack;
  const auto holds = [](const Live& block) {
    for (std::size_t i = 0; i < block.bytes; ++i)
      if (block.elements[i] != block.value) return false;
    return true;
  };
  for (int step = 0; step < 20000; ++step) {
    const unsigned choice = random() % 8;
    if (choice < 4) {
      const bool on_stack = choice < 2;
      const auto elements = static_cast<Integer>(random() % 60);
      const Integer type = random() % 2 == 0 ? MT_INT : MT_DCPL;
      const Integer handle = on_stack ? push(elements, type) : allocate(elements, type);
      ASSERT_EQ(live.count(handle), 0U);
      Live block{nullptr, static_cast<std::size_t>(MA_sizeof(type, elements, MT_CHAR)),
                 static_cast<unsigned char>(random()), on_stack};
      ASSERT_EQ(MA_get_pointer(handle, static_cast<void*>(&block.elements)), MA_TRUE);
      std::memset(block.elements, block.value, block.bytes);
      live[handle] = block;
      if (on_stack) stack.push_back(handle);
    } else if (choice < 6 && !stack.empty()) {
      const Integer handle = stack.back();
      EXPECT_TRUE(holds(live[handle]));
      ASSERT_EQ(MA_pop_stack(handle), MA_TRUE);
      live.erase(handle);
      stack.pop_back();
    } else if (!live.empty()) {
      auto any = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      if (any->second.on_stack) continue;
      EXPECT_TRUE(holds(any->second));
      ASSERT_EQ(MA_free_heap(any->first), MA_TRUE);
      live.erase(any);
    }
    if (live.size() < 60) continue;
    for (const auto& [handle, block] : live) {
      EXPECT_TRUE(holds(block)) << handle;
      if (!block.on_stack) {
        ASSERT_EQ(MA_free_heap(handle), MA_TRUE);
      }
    }
    if (!stack.empty()) {
      ASSERT_EQ(MA_chop_stack(stack.front()), MA_TRUE);
    }
    stack.clear();
    live.clear();
    ASSERT_EQ(MA_inquire_avail(MT_CHAR), at_first);
  }
}

TEST_F(MemoryAllocator, EndsTheJobWhereFailuresAreToBeHard) {
  begin();
  EXPECT_EXIT(
      {
        MA_set_error_callback([](const char* message, int code) {
          std::fprintf(stderr, "callback: %s, %d\n", message, code);
        });
        (void)MA_set_hard_fail(MA_TRUE);
        (void)MA_free_heap(5);
      },
      testing::ExitedWithCode(1), "MA error: MA_free_heap: (.|\n)*callback: MA_free_heap: .*, 1");
}

TEST_F(MemoryAllocator, ServesProgramsInC) { EXPECT_EQ(ma_program_in_c(), 0); }

#ifdef ATOLL_TEST_FORTRAN
TEST_F(MemoryAllocator, ServesProgramsInFortran) {
  Integer line = -1;
  testing::internal::CaptureStdout();
  ma_program_in_fortran_(&line);
  const std::string told = testing::internal::GetCapturedStdout();
  EXPECT_EQ(line, 0) << "what failed in ma_program.F90";
  EXPECT_TRUE(contains(told, "1 blocks on the heap, 1 on the stack"));
  EXPECT_TRUE(contains(told, "logicals")) << told;
}
#else
TEST_F(MemoryAllocator, ServesProgramsInFortran) {
  GTEST_SKIP() << "without a Fortran compiler, and with sanitizers";
}
#endif

}  // namespace
