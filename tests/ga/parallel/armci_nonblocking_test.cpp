// Nonblocking transfers of ARMCI: loops without limit over a few handles, implicit and aggregate
// ones, and the ways of waiting.
#include "armci_support.hpp"

namespace armci_test {
namespace {

constexpr int rounds = 10000, slots = 64, wide = 5000;

class ArmciNonblocking : public Armci {
 protected:
  int target = (me() + 1) % processes();
  int from = (me() + processes() - 1) % processes();
  Shared memory{rounds * 8};
};

TEST_F(ArmciNonblocking, HandlesServeAgainWithoutLimit) {
  std::vector<long> out(rounds), in(rounds, -1);
  std::array<armci_hdl_t, slots> handles;
  for (armci_hdl_t& handle : handles) ARMCI_INIT_HANDLE(&handle);
  for (int i = 0; i < rounds; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = 1000000L * me() + i;
    ARMCI_NbPut(&out[at], memory.as<long>(target, i), 8, target, &handles[at % slots]);
  }
  for (armci_hdl_t& handle : handles) EXPECT_EQ(ARMCI_Wait(&handle), 0);
  for (int i = 0; i < rounds; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i >= slots) {
      ASSERT_EQ(ARMCI_Wait(&handles[at % slots]), 0);
      ASSERT_EQ(in[at - slots], 1000000L * me() + i - slots);
    }
    ARMCI_NbGet(memory.as<long>(target, i), &in[at], 8, target, &handles[at % slots]);
  }
  for (armci_hdl_t& handle : handles) ARMCI_Wait(&handle);
  EXPECT_EQ(in, out);
  ARMCI_Barrier();
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(*memory.as<long>(me(), i), 1000000L * from + i);
}

TEST_F(ArmciNonblocking, WithoutHandlesWaitAllCompletesThem) {
  std::vector<long> out(rounds), in(rounds, -1);
  for (int i = 0; i < rounds; ++i) {
    out[static_cast<std::size_t>(i)] = i + me();
    ARMCI_NbPut(&out[static_cast<std::size_t>(i)], memory.as<long>(target, i), 8, target, nullptr);
  }
  ARMCI_WaitAll();
  for (int i = 0; i < rounds; ++i)
    ARMCI_NbGet(memory.as<long>(target, i), &in[static_cast<std::size_t>(i)], 8, target, nullptr);
  ARMCI_WaitProc(target);
  EXPECT_EQ(in, out);
}

TEST_F(ArmciNonblocking, AnAggregateHandleStandsForAllItWasGiven) {
  std::vector<long> out(rounds, 5), in(rounds, -1);
  ARMCI_Put(out.data(), memory.of(target), rounds * 8, target);
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::fill(in.begin(), in.end(), -1);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (int i = 0; i < rounds; ++i)
      ARMCI_NbGet(memory.as<long>(target, i), &in[static_cast<std::size_t>(i)], 8, target, &handle);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    ARMCI_Wait(&handle);
    ASSERT_EQ(in, out);
  }
}

TEST_F(ArmciNonblocking, TestTellsWhenItIsComplete) {
  std::vector<long> in(rounds, -1);
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  EXPECT_EQ(ARMCI_Test(&handle), 0);  // stands for nothing
  for (int i = 0; i < 20; ++i) {
    std::fill(in.begin(), in.end(), -1);
    ARMCI_NbGet(memory.of(target), in.data(), rounds * 8, target, &handle);
    while (ARMCI_Test(&handle) != 0) {
    }
    for (const long value : in) ASSERT_EQ(value, 0);
    EXPECT_EQ(ARMCI_Test(&handle), 0);
    EXPECT_EQ(ARMCI_Wait(&handle), 0);
  }
}

TEST_F(ArmciNonblocking, StridedAndVectorOnesAreTheBlockingOnes) {
  // A matrix of 100 x 50 longs, of which columns go there and come back transposed in halves.
  Random random(me());
  std::vector<long> out(wide), in(wide, 0), ones(wide, 1);
  for (long& value : out) value = random.between(0, 1000);
  int stride = 400;
  std::array<int, 2> count{200, 50};
  std::array<armci_hdl_t, 4> handles;
  for (armci_hdl_t& handle : handles) ARMCI_INIT_HANDLE(&handle);
  for (std::size_t half = 0; half < 2; ++half)
    ARMCI_NbPutS(out.data() + 25 * half, &stride,
                 memory.as<long>(target, static_cast<int>(25 * half)), &stride, count.data(), 1,
                 target, &handles[half]);
  for (armci_hdl_t& handle : handles) ARMCI_Wait(&handle);
  ARMCI_Fence(target);
  long two = 2;
  ARMCI_NbAccS(ARMCI_ACC_LNG, &two, ones.data(), &stride, memory.of(target), &stride, count.data(),
               1, target, &handles[2]);
  std::vector<void*> mine, theirs;
  for (int i = 0; i < 100; ++i) {
    mine.push_back(&ones[static_cast<std::size_t>(i)]);
    theirs.push_back(memory.as<long>(target, 50 * (i / 2) + 25 + i % 2));
  }
  armci_giov_t vector{mine.data(), theirs.data(), 100, 8};
  ARMCI_NbAccV(ARMCI_ACC_LNG, &two, &vector, 1, target, nullptr);
  ARMCI_Wait(&handles[2]);
  ARMCI_Fence(target);
  for (int row = 0; row < 50; ++row)
    for (int column = 0; column < 27; ++column)
      out[static_cast<std::size_t>(50 * row + column)] += 2;
  ARMCI_NbGetS(memory.of(target), &stride, in.data(), &stride, count.data(), 1, target,
               &handles[3]);
  std::vector<void*> to, at;
  for (int row = 0; row < 50; ++row) {
    to.push_back(&in[static_cast<std::size_t>(50 * row + 25)]);
    at.push_back(memory.as<long>(target, 50 * row + 25));
  }
  armci_giov_t halves{at.data(), to.data(), 50, 200};
  ARMCI_NbGetV(&halves, 1, target, &handles[0]);
  ARMCI_WaitProc(target);
  in.resize(2500);
  out.resize(2500);
  EXPECT_EQ(in, out);
  // And a put of vectors, of what came.
  armci_giov_t back{to.data(), at.data(), 50, 200};
  std::fill(in.begin(), in.end(), -3);
  ARMCI_NbPutV(&back, 1, target, &handles[1]);
  ARMCI_Wait(&handles[1]);
  EXPECT_EQ(ARMCI_GetValueLong(memory.as<long>(target, 25), target), -3);
  EXPECT_EQ(ARMCI_GetValueLong(memory.as<long>(target, 24), target), out[24]);
}

TEST_F(ArmciNonblocking, PutsAreThereAfterAFence) {
  std::vector<long> out(rounds, me() + 1);
  for (int i = 0; i < 50; ++i) {
    ARMCI_NbPut(out.data(), memory.of(target), rounds * 8, target, nullptr);
    ARMCI_Fence(target);
  }
  ARMCI_NbPut(out.data(), memory.of(target), rounds * 8, target, nullptr);
  ARMCI_AllFence();
  armci_msg_barrier();
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(*memory.as<long>(me(), i), from + 1);
  armci_msg_barrier();
}

}  // namespace
}  // namespace armci_test
