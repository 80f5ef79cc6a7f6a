// ARMCI's transfers against a serial model of one process's memory, which one other process writes.
#include <complex>
#include <type_traits>

#include "armci_support.hpp"

namespace armci_test {
namespace {

constexpr int block = 50000;

class ArmciTransfers : public Armci {
 protected:
  int target = (me() + 1) % processes();
  Shared memory{block};
  std::vector<unsigned char> model = std::vector<unsigned char>(block, 0);
  Random random{me()};

  unsigned char* there(int offset) { return memory.as<unsigned char>(target, offset); }
  void expect_model() {
    ARMCI_Barrier();
    EXPECT_EQ(contents<unsigned char>(memory, target, block), model);
  }
};

TEST_F(ArmciTransfers, ContiguousPutsAndGetsOfAnyLength) {
  for (int i = 0; i < 200; ++i) {
    const int bytes = random.between(0, i % 10 == 0 ? 40000 : 300);
    const int offset = random.between(0, block - bytes);
    std::vector<unsigned char> data = random_bytes(random, bytes);
    if (random.coin()) {
      ASSERT_EQ(ARMCI_Put(data.data(), there(offset), bytes, target), 0);
      std::copy(data.begin(), data.end(), model.begin() + offset);
    } else {
      ASSERT_EQ(ARMCI_Get(there(offset), data.data(), bytes, target), 0);
      ASSERT_TRUE(std::equal(data.begin(), data.end(), model.begin() + offset));
    }
  }
  expect_model();
}

TEST_F(ArmciTransfers, StridedPutsAndGetsOfAnyNumberOfLevels) {
  for (int i = 0; i < 400; ++i) {
    Shape shape(random, 1);
    const int offset = random.between(0, block - shape.extent(shape.theirs));
    std::vector<unsigned char> data = random_bytes(random, shape.extent(shape.mine));
    const std::vector<int> here = shape.starts(shape.mine), far = shape.starts(shape.theirs);
    const auto run = static_cast<std::size_t>(shape.count[0]);
    if (random.coin()) {
      ASSERT_EQ(ARMCI_PutS(data.data(), shape.mine.data(), there(offset), shape.theirs.data(),
                           shape.count.data(), shape.levels, target),
                0);
      for (std::size_t r = 0; r < here.size(); ++r)
        std::memcpy(model.data() + offset + far[r], data.data() + here[r], run);
    } else {
      std::vector<unsigned char> expected = data;
      for (std::size_t r = 0; r < here.size(); ++r)
        std::memcpy(expected.data() + here[r], model.data() + offset + far[r], run);
      ASSERT_EQ(ARMCI_GetS(there(offset), shape.theirs.data(), data.data(), shape.mine.data(),
                           shape.count.data(), shape.levels, target),
                0);
      ASSERT_EQ(data, expected);
    }
  }
  expect_model();
}

TEST_F(ArmciTransfers, VectorsOfAddresses) {
  for (int i = 0; i < 60; ++i) {
    // Two descriptors, of distinct places.
    std::array<std::vector<void*>, 2> mine, theirs;
    std::array<std::vector<int>, 2> offsets;
    std::array<armci_giov_t, 2> vectors;
    std::vector<unsigned char> data = random_bytes(random, block), expected = data;
    int next = 0;
    const bool put = random.coin();
    for (std::size_t v = 0; v < 2; ++v) {
      const int bytes = random.between(0, 30);
      for (int e = random.between(0, 400); e > 0; --e) {
        next += random.between(0, 3);
        mine[v].push_back(data.data() + block - next - bytes);
        theirs[v].push_back(there(next));
        auto* const source = put ? data.data() : model.data();
        auto* const drain = put ? model.data() : expected.data();
        const int from = put ? block - next - bytes : next, to = put ? next : block - next - bytes;
        std::memcpy(drain + to, source + from, static_cast<std::size_t>(bytes));
        next += bytes;
      }
      vectors[v] = {(put ? mine : theirs)[v].data(), (put ? theirs : mine)[v].data(),
                    static_cast<int>(mine[v].size()), bytes};
    }
    if (put)
      ASSERT_EQ(ARMCI_PutV(vectors.data(), 2, target), 0);
    else
      ASSERT_EQ(ARMCI_GetV(vectors.data(), 2, target), 0);
    ASSERT_EQ(data, expected);
  }
  expect_model();
}

template <class T>
constexpr int code = 0;
template <>
constexpr int code<int> = ARMCI_ACC_INT;
template <>
constexpr int code<long> = ARMCI_ACC_LNG;
template <>
constexpr int code<float> = ARMCI_ACC_FLT;
template <>
constexpr int code<double> = ARMCI_ACC_DBL;
template <>
constexpr int code<std::complex<float>> = ARMCI_ACC_CPL;
template <>
constexpr int code<std::complex<double>> = ARMCI_ACC_DCP;

template <class T>
class ArmciAccumulate : public Armci {};
using Types = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ArmciAccumulate, Types);

/// Small and whole, so that sums are exact in any order.
template <class T>
T number(Random& random, int most) {
  const int value = random.between(-most, most);
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(value);
  else
    return T(static_cast<typename T::value_type>(value),
             static_cast<typename T::value_type>(random.between(-most, most)));
}

template <class T>
std::vector<T> numbers(Random& random, int count) {
  std::vector<T> result;
  for (int i = 0; i < count; ++i) result.push_back(number<T>(random, 4));
  return result;
}

TYPED_TEST(ArmciAccumulate, OfAllProcessesAtOnceAddUp) {
  using T = TypeParam;
  constexpr int size = sizeof(T), elements = 3000;
  const int target = processes() - 1;
  const Shared memory(elements * size);
  std::vector<T> sum(elements, T(0));
  // Everybody works out what everybody adds, and adds its own part.
  for (int process = 0; process < processes(); ++process) {
    Random random(process);
    for (int i = 0; i < 40; ++i) {
      Shape shape(random, size);
      const int offset = random.between(0, elements - shape.extent(shape.theirs) / size);
      std::vector<T> data = numbers<T>(random, shape.extent(shape.mine) / size);
      T scale = number<T>(random, 2);
      const std::vector<int> here = shape.starts(shape.mine), far = shape.starts(shape.theirs);
      std::vector<void*> from, to;
      for (std::size_t r = 0; r < here.size(); ++r) {
        from.push_back(data.data() + here[r] / size);
        to.push_back(memory.as<T>(target, offset + far[r] / size));
        for (int e = 0; e < shape.count[0] / size; ++e)
          sum[static_cast<std::size_t>(offset + far[r] / size + e)] +=
              scale * data[static_cast<std::size_t>(here[r] / size + e)];
      }
      if (process != me()) continue;
      armci_giov_t vector{from.data(), to.data(), static_cast<int>(from.size()), shape.count[0]};
      if (shape.levels == 0)
        ARMCI_Acc(code<T>, &scale, data.data(), memory.as<T>(target, offset), shape.count[0],
                  target);
      else if (i % 2 == 0)
        ARMCI_AccS(code<T>, &scale, data.data(), shape.mine.data(), memory.as<T>(target, offset),
                   shape.theirs.data(), shape.count.data(), shape.levels, target);
      else
        ARMCI_AccV(code<T>, &scale, &vector, 1, target);
    }
  }
  ARMCI_Barrier();
  EXPECT_EQ(contents<T>(memory, target, elements), sum);
}

TEST_F(ArmciTransfers, ValuesGoOneByOne) {
  ARMCI_PutValueInt(-7, there(0), target);
  ARMCI_PutValueLong(1L << 40, there(8), target);
  ARMCI_PutValueFloat(1.5F, there(16), target);
  ARMCI_PutValueDouble(0.1, there(24), target);
  EXPECT_EQ(ARMCI_GetValueInt(there(0), target), -7);
  EXPECT_EQ(ARMCI_GetValueLong(there(8), target), 1L << 40);
  EXPECT_EQ(ARMCI_GetValueFloat(there(16), target), 1.5F);
  EXPECT_EQ(ARMCI_GetValueDouble(there(24), target), 0.1);
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_NbPutValueInt(8, there(0), target, &handle);
  ARMCI_NbPutValueLong(-9, there(8), target, nullptr);
  ARMCI_NbPutValueFloat(-2.5F, there(16), target, &handle);
  ARMCI_NbPutValueDouble(0.3, there(24), target, nullptr);
  EXPECT_EQ(ARMCI_Wait(&handle), 0);
  ARMCI_WaitAll();
  EXPECT_EQ(ARMCI_GetValueInt(there(0), target), 8);
  EXPECT_EQ(ARMCI_GetValueLong(there(8), target), -9);
  EXPECT_EQ(ARMCI_GetValueFloat(there(16), target), -2.5F);
  EXPECT_EQ(ARMCI_GetValueDouble(there(24), target), 0.3);
}

TEST_F(ArmciTransfers, AFlagFollowsItsData) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "to wait for a flag in plain memory is a race, by ARMCI's design";
#endif
  const int from = (me() + processes() - 1) % processes();
  constexpr int bytes = 40000, flag_at = 49000;
  const volatile int* flag = memory.as<int>(me(), flag_at / 4);
  for (int round = 1; round <= 20; ++round) {
    std::vector<unsigned char> data(bytes, static_cast<unsigned char>(round));
    std::array<int, 2> count{bytes / 2, 2};
    int stride = bytes / 2;
    auto* f = reinterpret_cast<int*>(there(flag_at));
    if (round % 3 == 0)
      ARMCI_Put_flag(data.data(), there(0), bytes, f, round, target);
    else if (round % 3 == 1)
      ARMCI_PutS_flag(data.data(), &stride, there(0), &stride, count.data(), 1, f, round, target);
    else
      ARMCI_PutS_flag_dir(data.data(), &stride, there(0), &stride, count.data(), 1, f, round,
                          target);
    while (*flag != round) ARMCI_AllFence();
    const unsigned char* mine = memory.as<unsigned char>(me());
    for (int i = 0; i < bytes; ++i) ASSERT_EQ(mine[i], round) << "byte " << i << " from " << from;
    ARMCI_Barrier();
  }
}

}  // namespace
}  // namespace armci_test
