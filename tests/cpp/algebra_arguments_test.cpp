// Wrong arguments of collective algebra raise on every rank, also where only one rank is wrong,
// and leave arrays and group in working order.
#include <gtest/gtest.h>

#include <sstream>

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
using Unary = void (*)(const View&, const MutableView&);
constexpr Unary unaries[] = {absolute, reciprocal};

TEST(AlgebraArguments, ShapesOfOneOperationAreEqual) {
  Array<double> a(world(), {4, 6}, {{}, "A"}), b(world(), {6, 4}, {{}, "B"}), c = a.duplicate("C");
  const std::vector<std::string> texts{"'B'", "(4, 6)", "(6, 4)"};
  for (const Binary operation : binaries) {
    EXPECT_TRUE(refuses([&] { operation(a, b, c); }, ErrorKind::value, texts));
    EXPECT_TRUE(refuses([&] { operation(b, a, c); }, ErrorKind::value, texts));
    EXPECT_TRUE(refuses([&] { operation(a, a, b); }, ErrorKind::value, texts));
  }
  for (const Unary operation : unaries)
    EXPECT_TRUE(refuses([&] { operation(a, b); }, ErrorKind::value, texts));
  EXPECT_TRUE(refuses([&] { dot(a, b); }, ErrorKind::value, texts));
}

TEST(AlgebraArguments, TypesOfOneOperationAreEqual) {
  Array<double> a(world(), {4}, {{}, "A"});
  Array<float> single(world(), {4}, {{}, "B"});
  AnyArray& b = single;  // else it does not compile
  const std::vector<std::string> texts{"'A'", "'B'", "float64", "float32"};
  for (const Binary operation : binaries) {
    EXPECT_TRUE(refuses([&] { operation(a, b, a); }, ErrorKind::type, texts));
    EXPECT_TRUE(refuses([&] { operation(a, a, b); }, ErrorKind::type, texts));
  }
  for (const Unary operation : unaries)
    EXPECT_TRUE(refuses([&] { operation(a, b); }, ErrorKind::type, texts));
  EXPECT_TRUE(refuses([&] { dot(a, b); }, ErrorKind::type, texts));
}

TEST(AlgebraArguments, GroupsOfOneOperationAreEqual) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  const Group half = world().split(world().rank() % 2);
  Array<double> a(world(), {4}), b(half, {4});
  for (const Binary operation : binaries)
    EXPECT_TRUE(refuses([&] { operation(a, b, a); }, ErrorKind::value, {"group"}));
  EXPECT_TRUE(refuses([&] { dot(a, b); }, ErrorKind::value, {"dot", "group"}));
}

TEST(AlgebraArguments, GroupsOfTheSameRanksServeEachOther) {
  const Group again = world().split(0);
  Array<double> a(world(), {30}), b(again, {30}, {Layout::tiled({4})});
  fill(a, 2);
  fill(b, 3);
  multiply(a, b, a);
  EXPECT_TRUE(holds(a, std::vector<double>(30, 6)));
}

TEST(AlgebraArguments, OneWrongRankRaisesEverywhere) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  Array<double> a(world(), {8}, {{}, "A"});
  const bool odd_one = world().rank() == world().size() - 1;
  EXPECT_TRUE(refuses([&] { fill({a, {{0}, {odd_one ? 9 : 8}, {}}}, 1); }, ErrorKind::index,
                      {"fill", "[0:9]"}));
  EXPECT_TRUE(refuses([&] { scale(a, odd_one ? Scalar(std::complex<double>(1, 2)) : Scalar(1)); },
                      ErrorKind::type, {"scale", "the factor"}));
  fill(a, 1);
  EXPECT_TRUE(holds(a, std::vector<double>(8, 1)));
}

TEST(AlgebraArguments, RanksThatDisagreeRaiseEverywhere) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  Array<double> a(world(), {8}, {{}, "A"}), b(world(), {8}, {{}, "B"});
  const bool odd_one = world().rank() == world().size() - 1;
  const auto disagree = [&](const std::function<void()>& action) {
    return refuses(action, ErrorKind::mismatch);
  };
  EXPECT_TRUE(disagree([&] { fill(a, odd_one ? 1 : 2); }));
  EXPECT_TRUE(disagree([&] { fill({a, {{0}, {odd_one ? 3 : 4}, {}}}, 1); }));
  EXPECT_TRUE(disagree([&] { zero(odd_one ? a : b); }));
  EXPECT_TRUE(disagree([&] { scale(a, odd_one ? 1.0 : 1.5); }));
  EXPECT_TRUE(disagree([&] { random_fill(a, odd_one ? 1 : 2); }));
  EXPECT_TRUE(disagree([&] { odd_one ? copy(a, b) : copy(b, a); }));
  EXPECT_TRUE(disagree([&] { add(odd_one ? 1 : 2, a, 1, b, a); }));
  EXPECT_TRUE(disagree([&] { norm(a, odd_one ? Norm::one : Norm::two); }));
  EXPECT_TRUE(disagree([&] { odd_one ? minimum(a, a, a) : maximum(a, a, a); }));
  EXPECT_TRUE(disagree([&] {
    std::ostringstream stream;
    print(a, stream, odd_one ? 2 : 3);
  }));
  fill(a, 4);
  EXPECT_EQ(sum(a).as<double>(), 32);
}

TEST(AlgebraArguments, DestroyedArraysAreAStateError) {
  Array<double> a(world(), {8}), dead(world(), {8});
  dead.destroy();
  const auto state = [](const std::function<void()>& action, const std::string& name) {
    return refuses(action, ErrorKind::state, {name});
  };
  EXPECT_TRUE(state([&] { zero(dead); }, "zero"));
  EXPECT_TRUE(state([&] { fill({dead, whole({8})}, 1); }, "fill"));
  EXPECT_TRUE(state([&] { copy(a, dead); }, "copy"));
  EXPECT_TRUE(state([&] { copy({dead, whole({8})}, {a, whole({8})}); }, "copy"));
  EXPECT_TRUE(state([&] { scale(dead, 1); }, "scale"));
  EXPECT_TRUE(state([&] { add(1, a, 1, dead, a); }, "add"));
  EXPECT_TRUE(state([&] { multiply(dead, a, a); }, "multiply"));
  EXPECT_TRUE(state([&] { absolute(a, dead); }, "absolute"));
  EXPECT_TRUE(state([&] { sum(dead); }, "sum"));
  EXPECT_TRUE(state([&] { dot(a, dead); }, "dot"));
  EXPECT_TRUE(state([&] { norm(dead); }, "norm"));
  EXPECT_TRUE(state([&] { minimum_element(dead); }, "minimum_element"));
  EXPECT_TRUE(state([&] { random_fill(dead, 1); }, "random_fill"));
  std::ostringstream stream;
  EXPECT_TRUE(state([&] { print(dead, stream); }, "print"));
}

}  // namespace
}  // namespace lagoon::atoll::test
