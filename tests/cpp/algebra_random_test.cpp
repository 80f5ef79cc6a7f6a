// random_fill: the documented sequence, whatever the layout and the number of ranks; evenly spread.
#include <gtest/gtest.h>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

/// SplitMix64 as published: a state that steps by a constant, and a scrambled copy of it.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

template <class T>
T number(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, double>) return std::ldexp(static_cast<double>(bits >> 11), -53);
  if constexpr (std::is_same_v<T, float>) return std::ldexp(static_cast<float>(bits >> 40), -24);
  if constexpr (std::is_integral_v<T>) return static_cast<T>(bits >> 33);
}

/// The documented sequence: SplitMix64 seeded with the first number of SplitMix64(seed).
template <Element T>
std::vector<T> sequence(std::uint64_t seed, std::int64_t count) {
  SplitMix64 generator(SplitMix64(seed).next());
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (is_complex(element_type_of<T>())) {
      using Real = typename T::value_type;
      const Real real = number<Real>(generator.next());
      values.push_back(T(real, number<Real>(generator.next())));
    } else {
      values.push_back(number<T>(generator.next()));
    }
  }
  return values;
}

TEST(AlgebraRandomGenerator, IsThePublishedSplitMix64) {
  // First outputs for seed 1234567, from the reference implementation.
  SplitMix64 generator(1234567);
  EXPECT_EQ(generator.next(), 6457827717110365317ULL);
  EXPECT_EQ(generator.next(), 3203168211198807973ULL);
  EXPECT_EQ(generator.next(), 9817491932198370423ULL);
}

template <class T>
class AlgebraRandom : public testing::Test {};
TYPED_TEST_SUITE(AlgebraRandom, AllTypes);

TYPED_TEST(AlgebraRandom, ElementsDependOnSeedAndPositionOnly) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(51);
    for (int i = 0; i < 15; ++i) {
      const Index shape = algebra_shape(random, 500);
      Array<T> a(group, shape, {random_layout(random, shape, group.size()), "a", false});
      const auto seed = static_cast<std::uint64_t>(i) * 0x123456789abcdefULL;
      random_fill(a, seed);
      EXPECT_TRUE(holds(a, sequence<T>(seed, shape.product()))) << a.distribution().to_string();
    }
  });
}

TEST(AlgebraRandomNumbers, AreEvenlySpreadAndUncorrelated) {
  constexpr std::int64_t count = 1 << 18, cells = 64;
  for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 0x9e3779b97f4a7c15ULL}) {
    Array<double> a(world(), {count});
    random_fill(a, seed);
    std::vector<double> x(count);
    a.get(whole(a.shape()), x.data());
    std::vector<double> hits(cells, 0);
    double serial = 0;
    int outside = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      outside += x[i] >= 0 && x[i] < 1 ? 0 : 1;
      ++hits[static_cast<std::size_t>(std::clamp(x[i], 0.0, 0.999) * cells)];
      if (i > 0) serial += (x[i] - 0.5) * (x[i - 1] - 0.5) * 12;
    }
    EXPECT_EQ(outside, 0);
    double chi2 = 0;
    for (const double hit : hits) chi2 += (hit - count / cells) * (hit - count / cells);
    chi2 /= static_cast<double>(count) / cells;
    // 63 degrees of freedom: mean 63, deviation 11.2.
    EXPECT_GT(chi2, 63 - 4 * 11.2);
    EXPECT_LT(chi2, 63 + 4 * 11.2);
    EXPECT_LT(std::abs(serial) / std::sqrt(static_cast<double>(count)), 4);
  }
}

TEST(AlgebraRandomNumbers, SeedsThatDifferByTheStepAreNotShiftedCopies) {
  Array<std::int64_t> a(world(), {1000}), b(world(), {1000});
  random_fill(a, 5);
  random_fill(b, 5 + 0x9e3779b97f4a7c15ULL);
  std::vector<std::int64_t> x(1000), y(1000);
  a.get(whole({1000}), x.data());
  b.get(whole({1000}), y.data());
  int equal = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) equal += x[i + 1] == y[i] || x[i] == y[i] ? 1 : 0;
  EXPECT_EQ(equal, 0);
}

}  // namespace
}  // namespace lagoon::atoll::test
