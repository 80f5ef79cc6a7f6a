// Patches that do not fit each other, their arrays or the operation raise on every rank and change
// nothing; those that only look different are taken for what they are.
#include <gtest/gtest.h>

#include <limits>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

testing::AssertionResult refuses(const std::function<void()>& action, ErrorKind kind,
                                 const std::vector<std::string>& texts = {}) {
  return all_throw_error(world(), action, kind, texts);
}

using Binary = void (*)(const View&, const View&, const MutableView&);
void sum_of(const View& a, const View& b, const MutableView& c) { add(1, a, 1, b, c); }
void quotient_of(const View& a, const View& b, const MutableView& c) { (void)divide(a, b, c); }
constexpr Binary binaries[] = {sum_of, multiply, quotient_of, minimum, maximum};

TEST(AlgebraPatchArguments, ShapesOfPatchesAreEqualStepsCounted) {
  Array<double> a(world(), {10, 6}, {{}, "A"}), b(world(), {9, 9}, {{}, "B"});
  fill(a, 2);
  fill(b, 2);
  const Patch p{{0, 0}, {5, 3}, {}}, stepped{{0, 0}, {9, 3}, {2, 1}}, q{{0, 0}, {4, 3}, {}};
  const std::vector<std::string> texts{"(5, 3)", "(4, 3)", "'A'", "'B'"};
  for (const Binary operation : binaries) {
    EXPECT_TRUE(refuses([&] { operation({a, p}, {a, p}, {b, q}); }, ErrorKind::value, texts));
    EXPECT_TRUE(refuses([&] { operation({b, q}, {a, p}, {a, p}); }, ErrorKind::value, texts));
    operation({a, p}, {a, p}, {b, stepped});
  }
  EXPECT_TRUE(refuses([&] { dot({a, p}, {b, q}); }, ErrorKind::value, texts));
  EXPECT_TRUE(refuses([&] { dot({a, p, Form::transposed}, {b, p}); }, ErrorKind::value,
                      {"dot", "transposed", "(3, 5)", "(5, 3)"}));
  EXPECT_TRUE(refuses([&] { absolute({a, p}, {b, q}); }, ErrorKind::value, texts));
  EXPECT_TRUE(refuses([&] { median({a, p}, {a, p}, {b, q}, {a, p}); }, ErrorKind::value, texts));
}

TEST(AlgebraPatchArguments, PatchesLieInsideTheirArrays) {
  Array<double> a(world(), {8}, {{}, "A"});
  const Patch good{{0}, {8}, {}}, outside{{1}, {9}, {}}, flat{{0, 0}, {2, 2}, {}};
  const Patch still{{0}, {8}, {0}};
  for (const Patch& bad : {outside, flat}) {
    EXPECT_TRUE(refuses([&] { scale({a, bad}, 1); }, ErrorKind::index, {"scale", "'A'"}));
    EXPECT_TRUE(refuses([&] { add_constant({a, bad}, 1); }, ErrorKind::index, {"add_constant"}));
    EXPECT_TRUE(refuses([&] { sum({a, bad}); }, ErrorKind::index, {"sum"}));
    EXPECT_TRUE(refuses([&] { norm({a, bad}); }, ErrorKind::index, {"norm"}));
    EXPECT_TRUE(refuses([&] { maximum_element({a, bad}); }, ErrorKind::index, {"maximum_element"}));
    EXPECT_TRUE(
        refuses([&] { multiply({a, good}, {a, bad}, {a, good}); }, ErrorKind::index, {"multiply"}));
    EXPECT_TRUE(refuses([&] { dot({a, good}, {a, bad}); }, ErrorKind::index, {"dot"}));
  }
  EXPECT_TRUE(refuses([&] { scale({a, still}, 1); }, ErrorKind::value, {"step"}));
}

TEST(AlgebraPatchArguments, OverlappingPatchesOfOneArrayAreRefused) {
  Array<std::int64_t> a(world(), {20}, {{}, "A"});
  fill(a, 3);
  const Patch low{{0}, {10}, {}}, high{{10}, {20}, {}}, middle{{5}, {15}, {}};
  for (const Binary operation : binaries)
    EXPECT_TRUE(refuses([&] { operation({a, low}, {a, high}, {a, middle}); }, ErrorKind::value,
                        {"[0:10]", "[5:15]", "'A'", "overlap"}));
  EXPECT_TRUE(refuses([&] { absolute({a, low}, {a, middle}); }, ErrorKind::value, {"overlap"}));
  EXPECT_TRUE(holds(a, std::vector<std::int64_t>(20, 3)));
  Array<std::int64_t> b(world(), {20});
  multiply({a, low}, {a, middle}, {b, low});  // inputs may overlap each other
  EXPECT_EQ(sum(b).as<std::int64_t>(), 90);
}

TEST(AlgebraPatchArguments, PatchesWithTheSameElementsAreTheSame) {
  Array<std::int64_t> a(world(), {20}, {{}, "A"});
  fill(a, 3);
  // Both are elements 0, 3, ..., 18; then a single one, whose step says nothing.
  absolute({a, {{0}, {19}, {3}}}, {a, {{0}, {20}, {3}}});
  scale({a, {{0}, {20}, {1}}}, 2);
  multiply({a, {{4}, {5}, {}}}, {a, {{4}, {6}, {7}}}, {a, {{4}, {5}, {2}}});
  std::vector<std::int64_t> expected(20, 6);
  expected[4] = 36;
  EXPECT_TRUE(holds(a, expected));
}

TEST(AlgebraPatchArguments, ZeroDivisorsOutsideThePatchDoNotCount) {
  Array<std::int32_t> a(world(), {10}, {{}, "A"}), b(world(), {10}, {{}, "B"});
  fill(a, 9);
  fill({b, {{0}, {5}, {}}}, 2);
  EXPECT_EQ(divide({a, {{0}, {5}, {}}}, {b, {{0}, {5}, {}}}, {a, {{0}, {5}, {}}}), 0);
  EXPECT_TRUE(holds<std::int32_t>(a, {4, 4, 4, 4, 4, 9, 9, 9, 9, 9}));
  EXPECT_EQ(divide({a, {{0}, {5}, {}}}, {b, {{2}, {7}, {}}}, {a, {{0}, {5}, {}}}), 2);
  EXPECT_TRUE(holds<std::int32_t>(a, {2, 2, 2, 0, 0, 9, 9, 9, 9, 9}));
}

TEST(AlgebraPatchArguments, OneWrongRankRaisesEverywhere) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  Array<double> a(world(), {8}, {{}, "A"});
  const bool odd_one = world().rank() == world().size() - 1;
  const Patch all{{0}, {8}, {}}, mine{{0}, {odd_one ? 9 : 8}, {}},
      other{{odd_one ? 1 : 0}, {8}, {}};
  EXPECT_TRUE(refuses([&] { scale({a, mine}, 2); }, ErrorKind::index, {"scale", "[0:9]"}));
  EXPECT_TRUE(refuses([&] { multiply({a, all}, {a, mine}, {a, all}); }, ErrorKind::index));
  EXPECT_TRUE(refuses([&] { sum({a, other}); }, ErrorKind::mismatch));
  EXPECT_TRUE(refuses([&] { scale({a, other}, 2); }, ErrorKind::mismatch));
  EXPECT_TRUE(refuses([&] { add_constant(a, odd_one ? 1 : 2); }, ErrorKind::mismatch));
  EXPECT_TRUE(holds(a, std::vector<double>(8)));
}

TEST(AlgebraPatchArguments, IntegersWrap) {
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min(),
                 highest = std::numeric_limits<std::int32_t>::max();
  Array<std::int32_t> a = array_with<std::int32_t>(world(), {3}, {lowest, 1, highest}, {});
  add_constant({a, {{2}, {3}, {}}}, 1);
  scale({a, {{0}, {2}, {}}}, -1);
  EXPECT_TRUE(holds<std::int32_t>(a, {lowest, -1, lowest}));
  EXPECT_TRUE(refuses([&] { add_constant(a, 0.5); }, ErrorKind::type, {"the value"}));
}

TEST(AlgebraPatchArguments, MedianPassesNaNOn) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Array<double> a = array_with<double>(world(), {4}, {nan, 1, 2, 5}, {});
  const Array<double> b = array_with<double>(world(), {4}, {1, nan, 3, 4}, {});
  const Array<double> c = array_with<double>(world(), {4}, {0, 1, nan, 3}, {});
  Array<double> m(world(), {4});
  median(a, b, c, m);
  std::vector<double> got(4);
  m.get(whole({4}), got.data());
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]) && std::isnan(got[2]));
  EXPECT_EQ(got[3], 4);
}

TEST(AlgebraPatchArguments, MirroredPatchesChangeOnTheNodeAndAreMerged) {
  Array<double> a(world(), {12, 7}, {{}, "A", true, true});
  const Patch p{{1, 2}, {11, 6}, {3, 1}};
  add_constant({a, p}, 2);
  merge(a);
  EXPECT_EQ(sum(a).as<double>(), 2.0 * 4 * 4 * world().nodes());
}

}  // namespace
}  // namespace lagoon::atoll::test
