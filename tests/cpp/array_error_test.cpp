// Wrong arguments: the right kind of error, a text that names argument and value, and no harm done.
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

// Bindings are captured by name below: Clang 14 does not capture them otherwise.

/// Every one-sided operation on a patch, by name.
std::vector<std::pair<std::string, std::function<void(Array<double>&, const Patch&, const Index&)>>>
patch_operations() {
  static std::vector<double> buffer(10'000);
  return {
      {"get", [](auto& a, const Patch& p, const Index& s) { a.get(p, buffer.data(), s); }},
      {"put", [](auto& a, const Patch& p, const Index& s) { a.put(p, buffer.data(), s); }},
      {"accumulate",
       [](auto& a, const Patch& p, const Index& s) { a.accumulate(p, buffer.data(), 1.0, s); }},
      {"get",
       [](auto& a, const Patch& p, const Index& s) { a.get_async(p, buffer.data(), s).wait(); }},
      {"put",
       [](auto& a, const Patch& p, const Index& s) { a.put_async(p, buffer.data(), s).wait(); }},
      {"accumulate", [](auto& a, const Patch& p,
                        const Index& s) { a.accumulate_async(p, buffer.data(), 1.0, s).wait(); }},
  };
}

TEST(WrongPatch, OutsideTheArrayIsAnIndexError) {
  Array<double> array(world(), {8, 5}, {.name = "A"});
  const std::vector<Patch> outside{{{0, 0}, {9, 5}},        {{0, 0}, {8, 6}},
                                   {{-1, 0}, {3, 5}},       {{0, -2}, {3, 3}},
                                   {{8, 0}, {9, 1}},        {{0, 0}, {1, std::int64_t{1} << 40}},
                                   {{0, 0}, {9, 5}, {3, 1}}};
  for (const auto& [name, operation] : patch_operations())
    for (const Patch& patch : outside)
      EXPECT_TRUE(throws_error(
          [&, &operation = operation] { operation(array, patch, {}); }, ErrorKind::index,
          {name, patch.to_string(), "'A'", "(8, 5)", "rank " + std::to_string(world().rank())}));
  world().sync();
  EXPECT_TRUE(holds(array, std::vector<double>(40))) << "a refused operation wrote something";
  world().barrier();
}

TEST(WrongPatch, TheWrongNumberOfDimensionsIsAnIndexError) {
  Array<double> array(world(), {8, 5}, {.name = "A"});
  for (const auto& [name, operation] : patch_operations())
    for (const Patch& patch :
         {Patch{{0}, {1}}, Patch{{0, 0, 0}, {1, 1, 1}}, Patch{{0, 0}, {1}}, Patch{{}, {}}})
      EXPECT_TRUE(throws_error([&, &operation = operation] { operation(array, patch, {}); },
                               ErrorKind::index, {name, "'A'"}))
          << patch.lo.to_string() << patch.hi.to_string();
}

TEST(WrongPatch, StepsMustBePositive) {
  Array<double> array(world(), {8, 5}, {.name = "A"});
  for (const auto& [name, operation] : patch_operations())
    for (const Index& step : {Index{0, 1}, Index{1, -1}}) {
      const Patch patch{{0, 0}, {8, 5}, step};
      EXPECT_TRUE(throws_error([&, &operation = operation] { operation(array, patch, {}); },
                               ErrorKind::value, {name, "step", patch.to_string(), "'A'"}));
    }
}

TEST(WrongPatch, TheWrongNumberOfStepsIsAnIndexError) {
  Array<double> array(world(), {8, 5}, {.name = "A"});
  for (const auto& [name, operation] : patch_operations())
    for (const Index& step : {Index{2}, Index{1, 1, 1}})
      EXPECT_TRUE(throws_error(
          [&, &operation = operation] { operation(array, {{0, 0}, {8, 5}, step}, {}); },
          ErrorKind::index, {name, "step", step.to_string(), "'A'"}));
}

TEST(WrongStrides, TheWrongNumberIsAValueError) {
  Array<double> array(world(), {8, 5}, {.name = "A"});
  for (const auto& [name, operation] : patch_operations())
    for (const Index& strides : {Index{1}, Index{1, 1, 1}})
      EXPECT_TRUE(
          throws_error([&, &operation = operation] { operation(array, {{0, 0}, {2, 2}}, strides); },
                       ErrorKind::value, {name, "stride", strides.to_string(), "'A'"}));
}

TEST(WrongPosition, OutsideTheArrayIsAnIndexError) {
  Array<std::int64_t> array(world(), {8, 5}, {.name = "A"});
  for (const Index& position : {Index{8, 0}, Index{0, 5}, Index{-1, 0}, Index{3}, Index{1, 1, 1}}) {
    const std::vector<std::string> texts{position.to_string(), "'A'"};
    EXPECT_TRUE(throws_error([&] { array.fetch_add(position, 1); }, ErrorKind::index, texts));
    EXPECT_TRUE(throws_error([&] { array.swap(position, 1); }, ErrorKind::index, texts));
    EXPECT_TRUE(throws_error([&] { (void)array.owner(position); }, ErrorKind::index, texts));
  }
  EXPECT_TRUE(
      throws_error([&] { (void)array.locate({{0, 0}, {9, 5}}); }, ErrorKind::index, {"'A'"}));
  world().sync();
  EXPECT_TRUE(holds(array, std::vector<std::int64_t>(40)));
  world().barrier();
}

TEST(WrongPosition, OneBadScatteredPositionRefusesTheWholeCall) {
  Array<std::int64_t> array(world(), {8, 5}, {.name = "A"});
  const std::vector<std::int64_t> values{1, 2, 3};
  std::vector<std::int64_t> got(3);
  const std::vector<std::int64_t> outside{0, 0, 7, 4, 2, 5};
  const std::vector<std::string> texts{"(2, 5)", "'A'"};
  EXPECT_TRUE(throws_error([&] { array.gather(outside, got.data()); }, ErrorKind::index, texts));
  EXPECT_TRUE(
      throws_error([&] { array.scatter(outside, values.data()); }, ErrorKind::index, texts));
  EXPECT_TRUE(throws_error([&] { array.scatter_accumulate(outside, values.data()); },
                           ErrorKind::index, texts));
  const std::vector<std::int64_t> odd{0, 0, 1};
  EXPECT_TRUE(throws_error([&] { array.gather(odd, got.data()); }, ErrorKind::value, {"3", "'A'"}));
  EXPECT_TRUE(throws_error([&] { array.scatter(odd, values.data()); }, ErrorKind::value, {"3"}));
  world().sync();
  EXPECT_TRUE(holds(array, std::vector<std::int64_t>(40))) << "part of a refused scatter arrived";
  world().barrier();
}

/// Creation with these arguments fails on all ranks with this kind and these words.
void expect_refused(const Index& shape, const Layout& layout,
                    const std::vector<std::string>& texts) {
  EXPECT_TRUE(all_throw_error(
      world(), [&] { const Array<double> array(world(), shape, {.layout = layout, .name = "B"}); },
      ErrorKind::value, texts));
}

TEST(WrongCreation, BadShapesAreValueErrorsEverywhere) {
  expect_refused({}, {}, {"shape"});
  expect_refused({4, -1}, {}, {"(4, -1)"});
  expect_refused({std::int64_t{1} << 40, std::int64_t{1} << 40}, {}, {"1099511627776"});
}

TEST(WrongCreation, BadLayoutsAreValueErrorsEverywhere) {
  expect_refused({8, 8}, Layout::blocked({4}), {"(4)"});
  expect_refused({8, 8}, Layout::block_cyclic({0, 2}), {"(0, 2)"});
  expect_refused({8, 8}, Layout::tiled({2}), {"(2)"});
  expect_refused({8, 8}, Layout::tiled({2, 2}, {1 << 20, 1}), {"(1048576, 1)"});
  expect_refused({8, 8}, Layout::tiled({2, 2}, {0, 1}), {"(0, 1)"});
  expect_refused({8, 8}, Layout::irregular({{0}}), {"starts"});
  expect_refused({8, 8}, Layout::irregular({{1}, {0}}), {"dimension 0"});
  expect_refused({8, 8}, Layout::irregular({{0}, {0, 8}}), {"dimension 1"});
  expect_refused({8, 8}, Layout::irregular({{0}, {0, 5, 3}}), {"dimension 1"});
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i <= world().size(); ++i) many.push_back(i);
  expect_refused({100, 8}, Layout::irregular({many, {0}}), {std::to_string(world().size() + 1)});
}

TEST(WrongCreation, ABadArgumentOnOneRankThrowsOnAll) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool odd = world().rank() == 1;
  EXPECT_TRUE(
      throws_error([&] { const Array<double> array(world(), odd ? Index{4, -1} : Index{4, 4}); },
                   ErrorKind::value, {"(4, -1)"}));
  EXPECT_EQ(world().reduce<std::int32_t>(1), world().size()) << "the world works on";
}

TEST(Mismatch, DifferentArgumentsOnOneRankThrowOnAll) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool odd = world().rank() == world().size() - 1;
  EXPECT_TRUE(all_throw_error(
      world(), [&] { const Array<double> array(world(), {odd ? 5 : 4}); }, ErrorKind::mismatch));
  EXPECT_TRUE(all_throw_error(
      world(),
      [&] { const AnyArray array(world(), {4}, odd ? ElementType::int32 : ElementType::float64); },
      ErrorKind::mismatch));
  EXPECT_TRUE(all_throw_error(
      world(),
      [&] {
        const Array<double> array(
            world(), {4, 4},
            {.layout = odd ? Layout::tiled({2, 2}) : Layout::block_cyclic({2, 2})});
      },
      ErrorKind::mismatch));
  EXPECT_EQ(world().reduce<std::int32_t>(1), world().size()) << "the world works on";
}

TEST(Mismatch, IsToldWithTheArgumentsOfEachRank) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks, of whom two agree";
  const bool odd = world().rank() == 1;
  EXPECT_TRUE(throws_error(
      [&] { const Array<float> array(world(), {odd ? 9 : 8, 3}, {.name = "Z"}); },
      ErrorKind::mismatch,
      {"rank 1 calls create array with other arguments: float32, (9, 3), 'Z'; the others call "
       "create array: float32, (8, 3), 'Z'"}));
  Array<std::int64_t> array(world(), {6, 2}, {.name = "B"});
  const Patch patch{{0, 0}, {odd ? 5 : 6, 2}};
  EXPECT_TRUE(throws_error([&] { fill({array, patch}, 7); }, ErrorKind::mismatch,
                           {"array 'B' of shape (6, 2), [0:5, 0:2], 7; the others call fill: "
                            "array 'B' of shape (6, 2), [0:6, 0:2], 7"}));
  // Of a call that has only a number the arguments of the call before are not told as its own.
  EXPECT_TRUE(throws_error([&] { Counter(world()).reset(odd ? 1 : 2); }, ErrorKind::mismatch,
                           {"reset counter with other arguments; the others call reset counter"}));
}

TEST(Mismatch, ShowsNumbersInFullAndWhereWordsLeaveSomethingOut) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks, of whom two agree";
  const bool odd = world().rank() == 1;
  Array<double> array(world(), {4});
  EXPECT_TRUE(throws_error([&] { fill(array, odd ? 1e-12 : 2e-12); }, ErrorKind::mismatch,
                           {", 1e-12; the others", ", 2e-12"}));
  EXPECT_TRUE(throws_error([&] { fill(array, odd ? Scalar(7) : Scalar(7.0)); }, ErrorKind::mismatch,
                           {", 7; the others", ", 7.0"}));
  const std::string begin(31, 'x');  // and half of a letter that has two bytes
  EXPECT_TRUE(throws_error(
      [&] { const Array<double> named(world(), {4}, {.name = begin + (odd ? "äa" : "äb")}); },
      ErrorKind::mismatch, {", '" + begin + "…' (they differ in what is not shown: options"}));
  EXPECT_TRUE(throws_error([&] { const Array<double> zeros(world(), {4}, {.zero = odd}); },
                           ErrorKind::mismatch,
                           {"float64, (4) (they differ in what is not shown: options, "}));
}

TEST(Mismatch, DifferentOperationsOnOneRankThrowOnAll) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  Array<double> array(world(), {4});
  const bool odd = world().rank() == 0;
  EXPECT_TRUE(all_throw_error(
      world(),
      [&] {
        if (odd)
          fill(array, 1.0);
        else
          scale(array, 1.0);
      },
      ErrorKind::mismatch));
  EXPECT_EQ(world().reduce<std::int32_t>(1), world().size()) << "the world works on";
}

}  // namespace
}  // namespace lagoon::atoll::test
