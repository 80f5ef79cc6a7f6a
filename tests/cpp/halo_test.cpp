// Halo updates against a serial loop over the whole array; that nothing else touches a halo.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr std::int64_t untouched = -777;

/// The element that a position stands for, if any: wrapped where the array repeats.
std::optional<Index> source_of(Index position, const Index& shape, const HaloOptions& options) {
  for (int d = 0; d < shape.size(); ++d) {
    const auto given = options.periodic.size();
    const bool wraps = given > 0 && options.periodic[given == 1 ? 0 : static_cast<std::size_t>(d)];
    if (position[d] >= 0 && position[d] < shape[d]) continue;
    if (!wraps) return std::nullopt;
    while (position[d] < 0) position[d] += shape[d];
    while (position[d] >= shape[d]) position[d] -= shape[d];
  }
  return position;
}

/// Where a position lies as seen from a block: -1, 0 or 1 per dimension.
Index direction_of(const Index& position, const Patch& block) {
  Index direction = position;
  for (int d = 0; d < position.size(); ++d) {
    direction[d] = position[d] >= block.hi[d] ? 1 : 0;
    if (position[d] < block.lo[d]) direction[d] = -1;
  }
  return direction;
}

bool is_updated(const Index& direction, const HaloOptions& options) {
  if (!options.directions.empty())
    return std::find(options.directions.begin(), options.directions.end(), direction) !=
           options.directions.end();
  std::int64_t sides = 0;
  for (const std::int64_t entry : direction) sides += entry * entry;
  return options.corners || sides == 1;
}

template <Element T>
void fill_memory(Array<T>& array, T value) {
  for (T& element : array.storage(array.group().rank())) element = value;
}

/// Every rank writes its own elements: a value that tells the position.
template <Element T>
void mark(Array<T>& array, int salt) {
  const TypedBlock<T> block = array.local();
  if (block.data == nullptr) return;
  for_each_position(block.patch.shape(), [&](const Index& at, std::int64_t) {
    T* element = block.data;
    for (int d = 0; d < at.size(); ++d) element += at[d] * block.strides[d];
    const Index where = array_position(block.patch, at);
    *element = marked_value<T>(linear_index(where, array.shape()), salt);
  });
}

/// Whether my block and its halo are what a serial program would have there.
template <Element T>
testing::AssertionResult halo_is_right(const Array<T>& array, const HaloOptions& options,
                                       int salt) {
  const TypedBlock<T> all = local_with_halo(array);
  const TypedBlock<T> own = array.local();
  if (own.patch.empty())
    return all.patch.empty() ? testing::AssertionSuccess()
                             : testing::AssertionFailure() << "a halo around nothing";
  const Index& halo = array.distribution().halo();
  for (int d = 0; d < halo.size(); ++d)
    if (all.patch.lo[d] != own.patch.lo[d] - halo[d] ||
        all.patch.hi[d] != own.patch.hi[d] + halo[d])
      return testing::AssertionFailure()
             << all.patch.to_string() << " is no halo of " << own.patch.to_string();
  testing::AssertionResult result = testing::AssertionSuccess();
  for_each_position(all.patch.shape(), [&](const Index& at, std::int64_t) {
    const Index position = array_position(all.patch, at);
    const Index direction = direction_of(position, own.patch);
    const bool inside = direction == Index::filled(direction.size(), 0);
    const std::optional<Index> source = source_of(position, array.shape(), options);
    const bool known = inside || (source && is_updated(direction, options));
    const T expected =
        known ? marked_value<T>(linear_index(*source, array.shape()), salt) : number<T>(untouched);
    const T* element = all.data;
    for (int d = 0; d < at.size(); ++d) element += at[d] * all.strides[d];
    if (result && *element != expected)
      result = testing::AssertionFailure()
               << position.to_string() << " holds " << text_of(*element) << " instead of "
               << text_of(expected) << ", block " << own.patch.to_string() << ", halo "
               << halo.to_string() << " (rank " << world().rank() << ")";
  });
  return result;
}

/// Marks the array, updates, and compares; then leaves the memory for the next. Collective.
template <Element T>
void expect_update(Array<T>& array, const HaloOptions& options, int salt) {
  fill_memory(array, number<T>(untouched));
  mark(array, salt);
  update_halo(array, options);
  EXPECT_TRUE(halo_is_right(array, options, salt));
}

std::vector<bool> bits(int number, int count) {
  std::vector<bool> result;
  for (int d = 0; d < count; ++d) result.push_back((number >> d & 1) != 0);
  return result;
}

Index first_extents(int dimensions) {
  constexpr std::array<std::int64_t, 4> extents{7, 6, 5, 4};
  return Index(std::span(extents).first(static_cast<std::size_t>(dimensions)));
}

/// All periodic or not, with and without corners.
void check_all_options(const Index& shape, const Layout& layout) {
  Array<std::int64_t> array(world(), shape, {.layout = layout});
  SCOPED_TRACE(array.distribution().to_string());
  int salt = 0;
  for (int mask = 0; mask < 1 << shape.size(); ++mask)
    for (const bool corners : {true, false})
      expect_update(array, {.periodic = bits(mask, shape.size()), .corners = corners}, ++salt);
}

/// Whether every element around my block is zero.
template <Element T>
bool halo_is_zero(const Array<T>& array) {
  const TypedBlock<T> all = local_with_halo(array), own = array.local();
  bool zero = true;
  for_each_position(all.patch.shape(), [&](const Index& at, std::int64_t) {
    const Index direction = direction_of(array_position(all.patch, at), own.patch);
    if (direction == Index::filled(direction.size(), 0)) return;
    const T* element = all.data;
    for (int d = 0; d < at.size(); ++d) element += at[d] * all.strides[d];
    zero = zero && *element == T{};
  });
  return zero;
}

TEST(Halo, OfANewArrayIsZeroWhateverWasInMemoryBefore) {
  const Index shapes[] = {{31}, {9, 8}, {5, 7, 6}};
  for (const Index& shape : shapes)
    for (const bool mirrored : {false, true})
      for (const std::int64_t width : {1, 3}) {
        Index widths = Index::filled(shape.size(), width);
        widths[0] = 2;
        const ArrayOptions options{
            .layout = Layout::blocked().with_halo(widths), .zero = false, .mirrored = mirrored};
        {
          Array<double> old(world(), shape, options);
          fill_memory(old, 7.0);
          world().sync();
        }
        Array<double> array(world(), shape, options);
        EXPECT_TRUE(halo_is_zero(array)) << shape.to_string() << (mirrored ? ", mirrored" : "");
        world().sync();
      }
}

TEST(Halo, AllWidthsInOneAndTwoDimensionsMatchASerialLoop) {
  for (std::int64_t i = 0; i <= 3; ++i) {
    check_all_options({7}, Layout::blocked().with_halo({i}));
    for (std::int64_t j = 0; j <= 3; ++j)
      check_all_options({7, 6}, Layout::blocked().with_halo({i, j}));
  }
}

TEST(Halo, EqualWidthsInThreeAndFourDimensionsMatchASerialLoop) {
  for (std::int64_t width = 0; width <= 3; ++width)
    for (int n = 3; n <= 4; ++n)
      check_all_options(first_extents(n), Layout::blocked().with_halo({width}));
}

TEST(Halo, MixedWidthsAndRandomCutsMatchASerialLoop) {
  Random random(401);
  for (int round = 0; round < 40; ++round) {
    const int n = static_cast<int>(random.between(1, 4));
    const Index shape = random_shape(random, n, 400);
    Layout layout = random_plain_layout(random, shape, world().size());
    if (!traits_of(layout.kind).one_block_a_rank) layout = Layout::blocked();
    layout.halo = Index::filled(n, 0);
    for (std::int64_t& width : layout.halo) width = random.between(0, 3);
    Array<std::int64_t> array(world(), shape, {.layout = layout});
    SCOPED_TRACE(shape.to_string() + " " + array.distribution().to_string());
    for (int i = 0; i < 3; ++i)
      expect_update(array,
                    {.periodic = bits(static_cast<int>(random.between(0, 15)), n),
                     .corners = random.chance(0.5)},
                    round);
  }
}

TEST(Halo, ChosenDirectionsAreUpdatedAndNoOthers) {
  Random random(402);
  for (int n = 1; n <= 4; ++n) {
    const Index shape = first_extents(n);
    Array<std::int64_t> array(world(), shape, {.layout = Layout::blocked().with_halo({1})});
    std::vector<Index> all;
    for_each_position(Index::filled(n, 3), [&](const Index& at, std::int64_t) {
      Index direction = at;
      for (std::int64_t& entry : direction) --entry;
      if (direction != Index::filled(n, 0)) all.push_back(direction);
    });
    for (std::size_t i = 0; i < all.size(); i += n == 4 ? 7 : 1)
      expect_update(array, {.periodic = {true}, .directions = {all[i]}}, 3);
    for (int round = 0; round < 4; ++round) {
      HaloOptions options{.periodic = bits(round, n), .corners = false};
      for (const Index& direction : all)
        if (random.chance(0.5)) options.directions.push_back(direction);
      expect_update(array, options, round);
    }
  }
}

TEST(Halo, WiderThanTheNeighboursBlocksItReachesFurtherRanks) {
  std::vector<std::int64_t> starts{0};
  for (std::int64_t i = 1; i < std::min(world().size(), 9); ++i)
    starts.push_back(i);  // one row each, then many
  check_all_options({9, 3}, Layout::irregular({starts, {0}}).with_halo({3, 2}));
  // Wider than the whole array, so that it goes around several times.
  check_all_options({3}, Layout::blocked().with_halo({8}));
  check_all_options({2, 1}, Layout::blocked().with_halo({5, 4}));
}

TEST(Halo, AroundASingleBlockItWrapsOntoItself) {
  check_all_options({4, 5}, Layout::blocked({4, 5}).with_halo({2, 1}));
}

TEST(Halo, RanksWithoutElementsTakePart) {
  check_all_options({1}, Layout::blocked().with_halo({2}));
  check_all_options({2, 2}, Layout::blocked({2, 2}).with_halo({1, 1}));
  check_all_options({0, 3}, Layout::blocked().with_halo({1, 1}));
}

TEST(Halo, EightDimensions) {
  const Index shape{2, 1, 2, 1, 2, 1, 1, 3};
  Array<std::int64_t> array(world(), shape,
                            {.layout = Layout::blocked().with_halo({1, 0, 1, 0, 0, 1, 0, 1})});
  expect_update(array, {.periodic = {true}}, 1);
  expect_update(array, {.periodic = bits(0x2f, 8), .corners = false}, 2);
}

template <class T>
class TypedHalo : public testing::Test {};
TYPED_TEST_SUITE(TypedHalo, AllTypes);

TYPED_TEST(TypedHalo, EveryTypeOnEveryGroupMatchesASerialLoop) {
  for_each_group([](const Group& group) {
    Array<TypeParam> array(group, {6, 7}, {.layout = Layout::blocked().with_halo({1, 2})});
    expect_update(array, {.periodic = {true, false}}, 1);
  });
}

TEST(Halo, LargeHalosStreamBetweenNodes) {
  Array<double> array(world(), {700, 601}, {.layout = Layout::blocked().with_halo({100, 100})});
  expect_update(array, {.periodic = {true}}, 5);
}

TEST(Halo, AnUpdateCanRunBesideOtherWork) {
  Array<std::int64_t> array(world(), {40, 30}, {.layout = Layout::blocked().with_halo({2, 2})});
  Array<std::int64_t> other(world(), {64});
  const HaloOptions options{.periodic = {true}};
  for (int round = 0; round < 10; ++round) {
    fill_memory(array, untouched);
    mark(array, round);
    Handle update = update_halo_begin(array, options);
    const std::int64_t one = 1;
    other.accumulate({{round}, {round + 1}}, &one);
    if (round % 2 == 0)
      update.wait();
    else
      while (!update.test()) {
      }
    EXPECT_TRUE(halo_is_right(array, options, round));
    world().sync();
  }
  std::vector<std::int64_t> expected(64, 0);
  std::fill_n(expected.begin(), 10, world().size());
  EXPECT_TRUE(holds(other, expected));
  world().barrier();
}

TEST(Halo, AnUpdateMayOutliveTheArray) {
  for (const bool destroyed : {false, true}) {
    Handle update;
    {
      Array<double> array(world(), {300, 300}, {.layout = Layout::blocked().with_halo({20, 20})});
      update = update_halo_begin(array, {.periodic = {true}});
      if (destroyed) array.destroy();
    }
    Array<double> next(world(), {300, 300}, {.layout = Layout::blocked().with_halo({20, 20})});
    fill_memory(next, 3.0);
    update.wait();
    bool kept = true;
    for (const double value : next.storage(world().rank())) kept = kept && value == 3.0;
    EXPECT_TRUE(kept) << "a late answer ran into another array";
    world().sync();
  }
}

TEST(Halo, AnUpdateSeesWhatWasWrittenBefore) {
  const int size = world().size();
  Array<std::int64_t> array(world(), {size}, {.layout = Layout::blocked({1}).with_halo({1})});
  for (std::int64_t round = 1; round < 30; ++round) {
    // Everybody writes its neighbour's element; nobody syncs.
    const std::int64_t next = (world().rank() + 1) % size;
    const std::int64_t value = round * 100 + next;
    array.put({{next}, {next + 1}}, &value);
    update_halo(array, {.periodic = {true}});
    const TypedBlock<std::int64_t> block = local_with_halo(array);
    EXPECT_EQ(block.data[0], round * 100 + (world().rank() + size - 1) % size);
    EXPECT_EQ(block.data[1], round * 100 + world().rank());
    EXPECT_EQ(block.data[2], round * 100 + next);
    world().barrier();  // all have looked before the next round writes
  }
}

TEST(Halo, OperationsOnTheArrayLeaveItAlone) {
  const Index shape{9, 8, 7};
  for (const Index& halo : {Index{1, 2, 3}, Index{2, 0, 0}, Index{0, 3, 0}, Index{0, 0, 1}}) {
    SCOPED_TRACE(halo.to_string());
    const ArrayOptions options{.layout = Layout::blocked().with_halo(halo)};
    Random random(77);
    const std::vector<double> x = small_values<double>(random, shape);
    std::vector<double> y = small_values<double>(random, shape);
    for (double& value : y) value += 200;  // no zeros
    Array<double> a(world(), shape, options), b(world(), shape, options),
        c(world(), shape, options);
    Array<double> plain(world(), shape, {.layout = Layout::tiled({2, 3, 2})});
    fill_memory(a, 1e9);
    fill_memory(b, 2e9);
    fill_memory(c, 3e9);
    store(a, x);
    store(b, y);
    store(plain, y);
    double total = 0, squares = 0, ones = 0, largest = x[0];
    for (const double value : x) {
      total += value;
      squares += value * value;
      ones += std::abs(value);
      largest = std::max(largest, value);
    }
    // Sums of small integers are exact in any order.
    EXPECT_EQ(sum(a).as<double>(), total);
    EXPECT_EQ(dot(a, a).as<double>(), squares);
    EXPECT_EQ(norm(a), std::sqrt(squares));
    EXPECT_EQ(norm(a, Norm::one), ones);
    EXPECT_EQ(norm(a, Norm::infinity), 99.0);
    const Extremum most = maximum_element(a);
    EXPECT_EQ(most.value.as<double>(), largest);
    EXPECT_EQ(linear_index(most.position, shape),
              std::find(x.begin(), x.end(), largest) - x.begin());
    add(2, a, 3, b, c);
    EXPECT_TRUE(holds(c, serially(x, y, [](double u, double v) { return 2 * u + 3 * v; })));
    add(2, a, 3, plain, c);
    EXPECT_TRUE(holds(c, serially(x, y, [](double u, double v) { return 2 * u + 3 * v; })));
    multiply(a, b, plain);
    EXPECT_TRUE(holds(plain, serially(x, y, [](double u, double v) { return u * v; })));
    EXPECT_EQ(divide(a, b, c), 0);
    EXPECT_TRUE(holds(c, serially(x, y, [](double u, double v) { return u / v; })));
    copy(a, c);
    scale(c, 5);
    EXPECT_TRUE(holds(c, serially(x, x, [](double u, double) { return 5 * u; })));
    copy(a, plain);
    copy(plain, c);
    EXPECT_TRUE(holds(c, x));
    const Patch inner{{1, 1, 1}, {8, 7, 6}, {}};
    fill({c, inner}, 4);
    fill(c, 4);
    EXPECT_TRUE(holds(c, std::vector<double>(x.size(), 4)));
    random_fill(c, 1);
    random_fill(plain, 1);
    std::vector<double> drawn(x.size());
    plain.get(whole(shape), drawn.data());
    EXPECT_TRUE(holds(c, drawn));
    zero(c);
    Array<double> twin = a.duplicate();
    EXPECT_EQ(twin.distribution().halo(), halo);
    world().sync();
    double filled = 0;
    for (const Array<double>* array : {&a, &b, &c}) {
      filled += 1e9;
      const Index lo = array->local().patch.lo, hi = array->local().patch.hi;
      const TypedBlock<double> block = local_with_halo(*array);
      bool same = true;
      for_each_position(block.patch.shape(), [&](const Index& at, std::int64_t linear) {
        if (direction_of(array_position(block.patch, at), {lo, hi, {}}) != Index{0, 0, 0})
          same = same && block.data[linear] == filled;
      });
      EXPECT_TRUE(same) << "an operation wrote to the halo";
    }
  }
}

TEST(Halo, OfANeighbourOnMyNodeCanBeSeen) {
  Array<std::int64_t> array(world(), {8, 8}, {.layout = Layout::blocked().with_halo({1, 1})});
  fill_memory(array, std::int64_t{world().rank()});
  world().sync();
  for (int rank = 0; rank < world().size(); ++rank) {
    if (!world().same_node(rank)) {
      EXPECT_TRUE(throws_error([&] { (void)block_with_halo(array, rank); }, ErrorKind::value));
      continue;
    }
    const TypedBlock<std::int64_t> block = block_with_halo(array, rank);
    if (!block.patch.empty()) {
      EXPECT_EQ(block.data[0], rank);
    }
  }
  world().barrier();
}

TEST(Halo, AnArrayWithoutOneIsUpdatedByDoingNothing) {
  Array<double> tiled(world(), {8, 8}, {.layout = Layout::tiled({2, 2})});
  update_halo(tiled);
  EXPECT_TRUE(throws_error([&] { (void)local_with_halo(tiled); }, ErrorKind::value, {"tiled"}));
  const Array<double> plain(world(), {8, 8});
  EXPECT_EQ(local_with_halo(plain).patch, plain.local().patch);
  EXPECT_EQ(local_with_halo(plain).data, plain.local().data);
}

TEST(Halo, BadWidthsAreErrorsOnAllRanks) {
  const auto refuse = [](const Layout& layout, const std::vector<std::string>& texts) {
    EXPECT_TRUE(all_throw_error(
        world(), [&] { const Array<double> array(world(), {8, 8}, {.layout = layout}); },
        ErrorKind::value, texts));
  };
  refuse(Layout::blocked().with_halo({1, -1}), {"halo (1, -1)", "negative"});
  refuse(Layout::blocked().with_halo({1, 2, 3}), {"halo (1, 2, 3)", "(8, 8)"});
  refuse(Layout::tiled({2, 2}).with_halo({1, 1}), {"halo (1, 1)", "blocked or irregular"});
  refuse(Layout::block_cyclic({2, 2}).with_halo({1}), {"blocked or irregular"});
  for (const std::int64_t shift : {24, 40, 57, 60, 62})
    EXPECT_TRUE(all_throw_error(
        world(),
        [&] {
          const Index wide{std::int64_t{1} << shift, std::int64_t{1} << shift};
          const Array<double> array(world(), {8, 8}, {.layout = Layout::blocked().with_halo(wide)});
        },
        shift == 24 ? ErrorKind::memory : ErrorKind::value));
  const Array<double> none(world(), {8, 8}, {.layout = Layout::tiled({2, 2}).with_halo({0, 0})});
  EXPECT_FALSE(none.distribution().has_halo());
}

TEST(Halo, BadOptionsAreErrorsOnAllRanks) {
  Array<double> array(world(), {8, 8},
                      {.layout = Layout::blocked().with_halo({1, 1}), .name = "field"});
  const auto refuse = [&](const HaloOptions& options, const std::vector<std::string>& texts) {
    EXPECT_TRUE(
        all_throw_error(world(), [&] { update_halo(array, options); }, ErrorKind::value, texts));
  };
  refuse({.periodic = {true, false, true}}, {"periodic", "3", "(8, 8)", "field"});
  refuse({.directions = {{0, 0}}}, {"direction (0, 0)"});
  refuse({.directions = {{1, 0}, {2, 0}}}, {"direction (2, 0)"});
  refuse({.directions = {{1}}}, {"direction (1)"});
  if (world().size() > 1) {
    EXPECT_TRUE(all_throw_error(world(),
                                [&] { update_halo(array, {.corners = world().rank() == 0}); },
                                ErrorKind::mismatch, {"update_halo"}));
  }
  array.destroy();
  EXPECT_TRUE(throws_error([&] { update_halo(array); }, ErrorKind::state));
  EXPECT_TRUE(throws_error([&] { (void)local_with_halo(array); }, ErrorKind::state));
}

}  // namespace
}  // namespace lagoon::atoll::test
