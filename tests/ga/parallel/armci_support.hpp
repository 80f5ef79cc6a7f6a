// What the tests of ARMCI share: ARMCI runs in each, memory that frees itself, and random strided
// shapes with the places that they touch, worked out on their own.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ga/armci.h"
#include "ga/message.h"

namespace armci_test {

inline int me() { return armci_msg_me(); }
inline int processes() { return armci_msg_nproc(); }

class Armci : public testing::Test {
 protected:
  Armci() { ARMCI_Init(); }
  ~Armci() override { ARMCI_Finalize(); }
};

/// ARMCI_Malloc of as many bytes everywhere, or of each its own.
class Shared {
 public:
  explicit Shared(armci_size_t bytes) : addresses_(static_cast<std::size_t>(processes())) {
    EXPECT_EQ(ARMCI_Malloc(addresses_.data(), bytes), 0);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { EXPECT_EQ(ARMCI_Free(of(me())), 0); }
  void* of(int process) const { return addresses_[static_cast<std::size_t>(process)]; }
  template <class T>
  T* as(int process, std::int64_t element = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(of(process)) +
                                element * static_cast<std::int64_t>(sizeof(T)));
  }
  void** all() { return addresses_.data(); }

 private:
  std::vector<void*> addresses_;
};

class Random {
 public:
  explicit Random(int seed) : engine_(static_cast<std::uint32_t>(seed * 7919 + 13)) {}
  int between(int first, int last) {
    return first + static_cast<int>(engine_() % static_cast<std::uint32_t>(last - first + 1));
  }
  bool coin() { return between(0, 1) == 1; }

 private:
  std::mt19937 engine_;
};

inline constexpr int most_levels = ARMCI_MAX_STRIDE_LEVEL;

/// Levels, counts, and strides of either side; `size` divides all of them.
struct Shape {
  int levels;
  std::array<int, most_levels + 1> count{};
  std::array<int, most_levels> mine{}, theirs{};

  Shape(Random& random, int size) : levels(random.between(0, 5)) {
    if (random.between(0, 9) == 0) levels = random.between(6, most_levels);
    count[0] = size * random.between(1, 12);
    for (int l = 1; l <= levels; ++l)
      count[static_cast<std::size_t>(l)] = random.between(1, levels > 5 ? 2 : 3);
    for (auto* strides : {&mine, &theirs}) {
      int extent = count[0];
      for (int l = 0; l < levels; ++l) {
        const auto at = static_cast<std::size_t>(l);
        (*strides)[at] = extent + size * random.between(0, 2);
        extent = (*strides)[at] * count[at + 1];
      }
    }
  }

  /// Where the runs of count[0] bytes begin.
  std::vector<int> starts(const std::array<int, most_levels>& strides) const {
    std::vector<int> result{0};
    for (int l = levels - 1; l >= 0; --l) {
      const auto at = static_cast<std::size_t>(l);
      std::vector<int> next;
      for (const int start : result)
        for (int i = 0; i < count[at + 1]; ++i) next.push_back(start + i * strides[at]);
      result = std::move(next);
    }
    return result;
  }
  int extent(const std::array<int, most_levels>& strides) const {
    return starts(strides).back() + count[0];
  }
};

inline std::vector<unsigned char> random_bytes(Random& random, int count) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.between(0, 255));
  return bytes;
}

/// All of a process's memory, by one get.
template <class T>
std::vector<T> contents(const Shared& memory, int process, int count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  EXPECT_EQ(
      ARMCI_Get(memory.of(process), result.data(), count * static_cast<int>(sizeof(T)), process),
      0);
  return result;
}

}  // namespace armci_test
