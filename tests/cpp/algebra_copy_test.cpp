// copy against loops over positions: whole arrays and patches with steps, transposed, between
// distributions, element types and groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class AlgebraCopy : public testing::Test {};
TYPED_TEST_SUITE(AlgebraCopy, AllTypes);

TYPED_TEST(AlgebraCopy, WholeArraysBetweenAnyDistributions) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(61);
    for (int i = 0; i < 16; ++i) {
      const Index shape = algebra_shape(random, 600);
      const std::vector<T> values = small_values<T>(random, shape);
      const Layout layout = random_layout(random, shape, group.size());
      const Array<T> source = array_with(group, shape, values, layout);
      Array<T> target(group, shape,
                      {random.chance(0.2) ? layout : random_layout(random, shape, group.size()),
                       "target", false});
      copy(source, target);
      EXPECT_TRUE(holds(target, values))
          << source.distribution().to_string() << " to " << target.distribution().to_string();
      EXPECT_TRUE(holds(source, values));
    }
  });
}

/// A patch of a random array with this shape (steps counted), and the array's shape.
struct Host {
  Index shape;
  Patch patch;
};

Host random_host(Random& random, const Index& patch_shape, bool steps) {
  Host host{patch_shape, {patch_shape, patch_shape, {}}};
  if (steps) host.patch.step = Index::filled(patch_shape.size(), 1);
  for (int d = 0; d < patch_shape.size(); ++d) {
    const std::int64_t step = steps ? random.between(1, 3) : 1;
    if (steps) host.patch.step[d] = step;
    host.patch.lo[d] = random.between(0, 3);
    host.patch.hi[d] = host.patch.lo[d] + (patch_shape[d] - 1) * step + 1;
    host.shape[d] = host.patch.hi[d] + random.between(0, 3);
  }
  return host;
}

Index reversed(Index index) {
  std::reverse(index.begin(), index.end());
  return index;
}

/// `target` with the source patch copied in, one element at a time.
template <class To, class From>
std::vector<To> serial_copy(const std::vector<From>& source, const Host& from,
                            std::vector<To> target, const Host& to, bool transposed) {
  for_each_position(to.patch.shape(), [&](const Index& at, std::int64_t) {
    const Index source_at = array_position(from.patch, transposed ? reversed(at) : at);
    const auto i = static_cast<std::size_t>(linear_index(source_at, from.shape));
    const auto o = static_cast<std::size_t>(linear_index(array_position(to.patch, at), to.shape));
    target[o] = Scalar(source[i]).template as<To>();
  });
  return target;
}

/// A group and its size, which ranks outside cannot ask for.
struct Home {
  Group group;
  int size;
};
Home home(const Group& group) { return {group, group.size()}; }

/// Copies a random patch of a random array at home in `source_home` into one in `target_home`.
template <class From, class To>
void check_patch_copy(Random& random, const Home& source_home, const Home& target_home,
                      bool transposed, std::int64_t most) {
  const Index shape = random_shape(random, static_cast<int>(random.between(1, 5)), most);
  const Host to = random_host(random, shape, random.chance(0.5));
  const Host from = random_host(random, transposed ? reversed(shape) : shape, random.chance(0.5));
  const auto x = small_values<From>(random, from.shape);
  const auto y = small_values<To>(random, to.shape);
  const Layout from_layout = random_layout(random, from.shape, source_home.size);
  const Layout to_layout = random_layout(random, to.shape, target_home.size);
  std::optional<Array<From>> source;
  std::optional<Array<To>> target;
  if (source_home.group) source = array_with(source_home.group, from.shape, x, from_layout);
  if (target_home.group) target = array_with(target_home.group, to.shape, y, to_layout);
  if (source && target) {  // those who hold both arrays copy
    copy({*source, from.patch, transposed ? Form::transposed : Form::plain}, {*target, to.patch});
    EXPECT_TRUE(holds(*source, x));
  }
  world().sync();
  if (target) {
    SCOPED_TRACE(from.patch.to_string() + " of " + from.shape.to_string() + " to " +
                 to.patch.to_string() + " of " + to.shape.to_string());
    EXPECT_TRUE(holds(*target, serial_copy(x, from, y, to, transposed)));
  }
  world().sync();
}

TYPED_TEST(AlgebraCopy, PatchesWithStepsStraightAndTransposed) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(62);
    for (int i = 0; i < 10; ++i)
      for (const bool transposed : {false, true})
        check_patch_copy<T, T>(random, home(group), home(group), transposed, 300);
  });
}

TYPED_TEST(AlgebraCopy, TransposesWhatDoesNotFitOneChunk) {
  using T = TypeParam;
  Random random(63);
  const Index shape{301, 513};
  const auto x = small_values<T>(random, shape);
  const Array<T> source = array_with(world(), shape, x, Layout::block_cyclic({70, 90}));
  Array<T> target(world(), {513, 301});
  copy({source, Form::transposed}, target);
  std::vector<T> expected(x.size());
  for (std::size_t i = 0; i < 301; ++i)
    for (std::size_t j = 0; j < 513; ++j) expected[j * 301 + i] = x[i * 513 + j];
  EXPECT_TRUE(holds(target, expected));
}

TYPED_TEST(AlgebraCopy, BetweenPartsOfOneArray) {
  using T = TypeParam;
  Random random(64);
  const Index shape{20, 12};
  for (int i = 0; i < 10; ++i) {
    std::vector<T> values = small_values<T>(random, shape);
    Array<T> a = array_with(world(), shape, values, random_layout(random, shape, world().size()));
    copy({a, {{0, 0}, {10, 12}, {}}}, {a, {{10, 0}, {20, 12}, {}}});
    std::copy(values.begin(), values.begin() + 120, values.begin() + 120);
    EXPECT_TRUE(holds(a, values));
    copy({a, {{0, 0}, {20, 12}, {1, 2}}}, {a, {{0, 1}, {20, 12}, {1, 2}}});  // interleaved columns
    for (std::size_t k = 0; k < values.size(); k += 2) values[k + 1] = values[k];
    EXPECT_TRUE(holds(a, values));
    copy(a, a);
    EXPECT_TRUE(holds(a, values));
  }
}

/// Calls `f(From{}, To{})` for every pair of types.
template <class F>
void for_each_pair_of_types(F&& f) {
  for (int from = 0; from < 6; ++from)
    for (int to = 0; to < 6; ++to)
      with_chosen_type<is_tested>(static_cast<ElementType>(from), [&]<class From>(From x) {
        with_chosen_type<is_tested>(static_cast<ElementType>(to), [&]<class To>(To y) { f(x, y); });
      });
}

int kind_of(ElementType type) { return is_complex(type) ? 2 : is_integer(type) ? 0 : 1; }

TEST(AlgebraCopyTypes, ChangeWithinNumPysSameKindRule) {
  Random random(65);
  for_each_pair_of_types([&]<class From, class To>(From, To) {
    constexpr ElementType from = element_type_of<From>(), to = element_type_of<To>();
    SCOPED_TRACE(std::string(name_of(from)) + " to " + std::string(name_of(to)));
    if (kind_of(from) > kind_of(to)) {
      const Array<From> a(world(), {5}, {{}, "A"});
      Array<To> b(world(), {5}, {{}, "B"});
      const std::vector<std::string> texts{"copy", std::string(name_of(from)),
                                           std::string(name_of(to))};
      EXPECT_TRUE(all_throw_error(world(), [&] { copy(a, b); }, ErrorKind::type, texts));
      EXPECT_TRUE(all_throw_error(
          world(), [&] { copy({a, whole({5})}, {b, whole({5})}); }, ErrorKind::type, texts));
      return;
    }
    const Index shape{13, 11};
    const auto x = small_values<From>(random, shape);
    std::vector<To> expected;
    for (const From value : x) expected.push_back(Scalar(value).template as<To>());
    const Layout layouts[] = {Layout::blocked(), Layout::tiled({4, 3})};
    for (const Layout& layout : layouts) {
      const Array<From> a = array_with(world(), shape, x, {});
      Array<To> b(world(), shape, {layout, "B", false});
      copy(a, b);
      EXPECT_TRUE(holds(b, expected));
    }
    for (const bool transposed : {false, true})
      check_patch_copy<From, To>(random, home(world()), home(world()), transposed, 200);
  });
}

TEST(AlgebraCopyTypes, NarrowIntegersWrap) {
  const std::vector<std::int64_t> x{(std::int64_t{1} << 32) + 5, -1, std::int64_t{1} << 31};
  const Array<std::int64_t> a = array_with(world(), {3}, x, {});
  Array<std::int32_t> b(world(), {3});
  copy(a, b);
  EXPECT_TRUE(holds<std::int32_t>(b, {5, -1, std::numeric_limits<std::int32_t>::min()}));
  Array<std::uint8_t> c(world(), {3});
  copy(a, c);
  EXPECT_TRUE(holds<std::uint8_t>(c, {5, 255, 0}));
}

TEST(AlgebraCopyGroups, BetweenTheWorldAndSomeOfItsRanks) {
  std::vector<int> ranks;
  for (int rank = (world().size() - 1) / 2; rank >= 0; --rank) ranks.push_back(rank);
  const Home some{world().create(ranks), static_cast<int>(ranks.size())}, all = home(world());
  Random random(66);
  for (int i = 0; i < 10; ++i)
    for (const bool transposed : {false, true}) {
      check_patch_copy<double, double>(random, all, some, transposed, 300);
      check_patch_copy<double, double>(random, some, all, transposed, 300);
      check_patch_copy<float, double>(random, some, all, transposed, 300);
    }
}

TEST(AlgebraCopyGroups, ThatOverlapAreAnError) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks";
  const Group left = world().create(std::vector<int>{0, 1});
  const Group right = world().create(std::vector<int>{1, 2});
  std::optional<Array<float>> a, b;
  if (left) a.emplace(left, Index{4});
  if (right) b.emplace(right, Index{4});
  if (left && right) {
    EXPECT_TRUE(throws_error([&] { copy(*a, *b); }, ErrorKind::value, {"copy", "overlap"}));
  }
  world().sync();
}

TEST(AlgebraCopyErrors, ShapesPatchesAndOverlap) {
  Array<double> a(world(), {6, 8}, {{}, "A"}), b(world(), {8, 6}, {{}, "B"});
  const auto refuses = [](const std::function<void()>& action, ErrorKind kind,
                          const std::vector<std::string>& texts) {
    return all_throw_error(world(), action, kind, texts);
  };
  EXPECT_TRUE(refuses([&] { copy(a, b); }, ErrorKind::value, {"copy", "'A'", "'B'", "shape"}));
  EXPECT_TRUE(refuses([&] { copy({a, whole(a.shape())}, {b, whole(b.shape())}); }, ErrorKind::value,
                      {"(6, 8)", "(8, 6)"}));
  EXPECT_TRUE(refuses([&] { copy({a, Form::transposed}, a); }, ErrorKind::value, {"transposed"}));
  EXPECT_TRUE(refuses([&] { copy({a, {{0, 0}, {7, 8}, {}}}, b); }, ErrorKind::index,
                      {"[0:7, 0:8]", "'A'"}));
  EXPECT_TRUE(refuses([&] { copy(a, {b, {{0, 0}, {8, 7}, {}}}); }, ErrorKind::index,
                      {"[0:8, 0:7]", "'B'"}));
  EXPECT_TRUE(refuses([&] { copy({a, {{0, 0}, {3, 3}, {}}}, {a, {{2, 2}, {5, 5}, {}}}); },
                      ErrorKind::value, {"overlap"}));
  copy({a, Form::transposed}, b);
  copy({a, {{2, 2}, {2, 8}, {}}}, {b, {{0, 0}, {0, 6}, {}}});  // empty: nothing to do
}

}  // namespace
}  // namespace lagoon::atoll::test
