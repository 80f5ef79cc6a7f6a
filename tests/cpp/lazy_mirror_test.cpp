// Lazy mirrors: what reads give, what they move and count, refreshing, refusals.
//
// A serial model says what must be read. Bytes are counted below the library (wire_counter.hpp),
// and counts of tiles follow from arrays that are cut where tiles end.
#include <array>
#include <numeric>

#include "array/distribution/tiling.hpp"
#include "serial_model.hpp"
#include "support.hpp"
#include "wire_counter.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr std::int64_t tile_bytes = detail::Tiling::tile_bytes;
constexpr std::int64_t tile_length = tile_bytes / 8;  // of a one-dimensional array of doubles
constexpr std::int64_t tiles_a_rank = 16;

/// An array with a different value at every position, and the model of it.
template <Element T>
struct Marked {
  Marked(const Index& shape, const Layout& layout, int salt = 0)
      : array(world(), shape, {.layout = layout, .name = "a"}), model(shape) {
    write(salt);
  }
  /// Collective.
  void write(int salt) {
    for (std::size_t i = 0; i < model.values().size(); ++i)
      model.values()[i] = marked_value<T>(static_cast<std::int64_t>(i), salt);
    if (world().rank() == 0) array.put(whole(array.shape()), model.values().data());
    world().sync();
  }
  Array<T> array;
  SerialArray<T> model;
};

/// One-dimensional; each rank holds so many tiles, and nobody shares one.
Marked<double> tiles_of_all_ranks() {
  std::vector<std::int64_t> starts(static_cast<std::size_t>(world().size()));
  for (std::size_t r = 0; r < starts.size(); ++r)
    starts[r] = static_cast<std::int64_t>(r) * tiles_a_rank * tile_length;
  return {{world().size() * tiles_a_rank * tile_length}, Layout::irregular({starts})};
}

Patch tiles_of(int rank, std::int64_t first = 0, std::int64_t last = tiles_a_rank) {
  const std::int64_t start = rank * tiles_a_rank;
  return {{(start + first) * tile_length}, {(start + last) * tile_length}, {}};
}

template <Element T>
testing::AssertionResult reads(const LazyMirror<T>& mirror, SerialArray<T>& model,
                               const Patch& patch) {
  std::vector<T> actual(static_cast<std::size_t>(patch.elements()));
  mirror.get(patch, actual.data());
  return same_elements(actual, model.get(patch), patch.shape());
}

std::int64_t reads_in(const LazyCounts& c) { return c.hits + c.misses + c.bypasses + c.direct; }

template <class T>
class LazyMirrorTyped : public testing::Test {};
TYPED_TEST_SUITE(LazyMirrorTyped, AllTypes);

TYPED_TEST(LazyMirrorTyped, RandomReadsOfAllRanksGiveWhatTheModelHas) {
  using T = TypeParam;
  Random same(3), mine(5, world().rank());
  for (int turn = 0; turn < 16; ++turn) {
    const Index shape = random_shape(same, 1 + turn % 4, 40000);
    Marked<T> a(shape, random_layout(same, shape, world().size()), turn);
    // One tile, a few, or all: from mostly bypasses to no eviction.
    const std::int64_t tiles = turn % 3 == 0 ? 1 : turn % 3 == 1 ? same.between(2, 12) : 1000;
    LazyMirror<T> mirror(a.array, tiles * tile_bytes);
    for (int i = 0; i < 25; ++i) {
      EXPECT_TRUE(reads(mirror, a.model, random_patch(mine, shape, mine.chance(0.4))));
      const Index at = random_position(mine, shape);
      EXPECT_EQ(mirror.at(at), a.model.at(at));
    }
    std::vector<std::int64_t> positions;
    std::vector<T> expected, actual(200);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const Index at = random_position(mine, shape);
      positions.insert(positions.end(), at.begin(), at.end());
      expected.push_back(a.model.at(at));
    }
    mirror.gather(positions, actual.data());
    EXPECT_TRUE(same_elements(actual, expected, {200}));
    const LazyStatistics now = mirror.statistics();
    EXPECT_GE(reads_in(now.rank), 250);
    EXPECT_LE(now.tiles_held, now.tile_capacity);
    EXPECT_LE(now.tile_capacity, tiles * tile_bytes / 4);
    world().barrier();
    // Again after everything has changed.
    a.write(turn + 100);
    mirror.refresh();
    for (int i = 0; i < 10; ++i)
      EXPECT_TRUE(reads(mirror, a.model, random_patch(mine, shape, mine.chance(0.4))));
    world().barrier();
  }
}

TEST(LazyMirror, BuffersMayHaveStrides) {
  const Index shape{130, 170};
  Marked<double> a(shape, Layout::blocked());
  LazyMirror<double> mirror(a.array);
  const Patch patch{{3, 20}, {120, 160}, {2, 3}};
  const Index extents = patch.shape();
  // Transposed, rows from the last to the first.
  std::vector<double> out(static_cast<std::size_t>(extents.product()), -1);
  mirror.get(patch, out.data() + extents[0] - 1, {-1, extents[0]});
  for_each_position(extents, [&](const Index& at, std::int64_t) {
    const auto place = static_cast<std::size_t>(at[1] * extents[0] + extents[0] - 1 - at[0]);
    EXPECT_EQ(out[place], a.model.at(array_position(patch, at)));
  });
  world().barrier();
}

TEST(LazyMirror, WhatTheNodeHasReadMovesNothingAgain) {
  const Index shape{400, 300};
  Marked<double> a(shape, Layout::blocked());
  LazyMirror<double> mirror(a.array, 4 << 20);
  // Rank r of a node reads a patch of its own; then everybody all of these.
  const auto patch = [](int local) {
    return Patch{{37 * local % 200, 5}, {37 * local % 200 + 190, 290}, {}};
  };
  const int here = static_cast<int>(world().node_ranks().size());
  int local = 0;
  while (world().node_ranks()[static_cast<std::size_t>(local)] != world().rank()) ++local;
  const WireCounter wire;
  EXPECT_TRUE(reads(mirror, a.model, patch(local)));
  const std::int64_t first = wire.sent();
  for (int other = 0; other < here; ++other) EXPECT_TRUE(reads(mirror, a.model, patch(other)));
  EXPECT_EQ(wire.sent(), first);
  const bool all_seen = !mode_is("ATOLL_PROGRESS", "rank");  // else not what agents send
  EXPECT_EQ(first > 0, world().nodes() > 1 && all_seen);
}

TEST(LazyMirror, CountsTellHitsMissesAndEvictions) {
  const Marked<double> a = tiles_of_all_ranks();
  LazyMirror<double> all(a.array, world().size() * tiles_a_rank * tile_bytes);
  LazyMirror<double> four(a.array, 4 * tile_bytes + 100);
  const int last = world().size() - 1;
  const bool foreign = !world().same_node(0) || !world().same_node(last);
  const int reader = 0;
  std::vector<double> buffer(static_cast<std::size_t>(tiles_a_rank * tile_length));
  if (world().rank() == reader && foreign) {
    all.get(tiles_of(last), buffer.data());
    LazyCounts counts = all.statistics().rank;
    EXPECT_EQ(counts.misses, tiles_a_rank);
    EXPECT_EQ(counts.hits, 0);
    EXPECT_EQ(counts.fetched_bytes, tiles_a_rank * tile_bytes);
    all.get(tiles_of(last), buffer.data());
    all.get({{tiles_of(last).lo[0] + 5}, {tiles_of(last).lo[0] + 6}, {}}, buffer.data());
    counts = all.statistics().rank;
    EXPECT_EQ(counts.misses, tiles_a_rank);
    EXPECT_EQ(counts.hits, tiles_a_rank + 1);
    EXPECT_EQ(counts.direct + counts.bypasses + counts.evictions, 0);
    EXPECT_EQ(all.statistics().tiles_held, tiles_a_rank);
    all.get(tiles_of(reader), buffer.data());
    EXPECT_EQ(all.statistics().rank.direct, 1);
    EXPECT_EQ(all.statistics().tile_capacity, world().size() * tiles_a_rank);

    four.get(tiles_of(last), buffer.data());
    counts = four.statistics().rank;
    EXPECT_EQ(counts.misses, tiles_a_rank);
    EXPECT_EQ(counts.evictions, tiles_a_rank - 4);
    EXPECT_EQ(four.statistics().tiles_held, 4);
    EXPECT_EQ(four.statistics().tile_capacity, 4);
  }
  world().barrier();
  // The node's sum holds the reader's counts; other ranks have none of their own.
  const LazyStatistics now = four.statistics();
  const bool with_reader = world().same_node(reader);
  EXPECT_EQ(now.node.misses, foreign && with_reader ? tiles_a_rank : 0);
  if (world().rank() != reader) {
    EXPECT_EQ(reads_in(now.rank), 0);
  }
  world().barrier();
}

TEST(LazyMirror, TilesReadAgainStayWhileOthersPassThrough) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
  const Marked<double> a = tiles_of_all_ranks();
  LazyMirror<double> mirror(a.array, 4 * tile_bytes);
  if (world().rank() == 0) {
    const int last = world().size() - 1;
    std::vector<double> buffer(static_cast<std::size_t>(tile_length));
    const auto read = [&](std::int64_t tile) {
      mirror.get(tiles_of(last, tile, tile + 1), buffer.data());
    };
    for (std::int64_t tile = 1; tile < tiles_a_rank; ++tile) {
      read(0);  // again and again
      read(tile);
    }
    // Tile 0 was fetched once: each turn of the clock found it read.
    EXPECT_EQ(mirror.statistics().rank.misses, tiles_a_rank);
    EXPECT_EQ(mirror.statistics().rank.hits, tiles_a_rank - 2);
  }
  world().barrier();
}

TEST(LazyMirror, ManyRanksShareAFewSlots) {
  const Marked<double> a = tiles_of_all_ranks();
  SerialArray<double> model = a.model;
  for (const std::int64_t slots : {1, 2, 3}) {
    LazyMirror<double> mirror(a.array, slots * tile_bytes);
    const auto seed = static_cast<std::uint64_t>(slots);
    Random mine(7 * seed, world().rank()), same(11 * seed);
    for (int i = 0; i < 60; ++i) {
      // Everybody the same tiles at once, or each its own.
      Random& random = i % 2 == 0 ? same : mine;
      EXPECT_TRUE(reads(mirror, model, random_patch(random, a.array.shape())));
    }
    EXPECT_LE(mirror.statistics().tiles_held, slots);
    world().barrier();
    EXPECT_GE(mirror.statistics().tiles_held, 0);
    mirror.refresh();
    EXPECT_EQ(mirror.statistics().tiles_held, 0);
    world().barrier();
  }
}

TEST(LazyMirror, RefreshShowsWhatWasWritten) {
  const Index shape{90, 200};
  Array<double> a(world(), shape, {.name = "a"});
  fill(a, 1);
  LazyMirror<double> mirror(a);
  SerialArray<double> model(shape);
  for (int value = 1; value < 5; ++value) {
    std::fill(model.values().begin(), model.values().end(), value);
    EXPECT_TRUE(reads(mirror, model, whole(shape)));
    world().barrier();
    // By anybody, without a sync: refresh completes it.
    const Patch rows{{world().rank(), 0}, {world().rank() + 1, 200}, {}};
    fill(a, value + 1);
    const std::vector<double> mine(200, world().rank() + 0.5);
    a.put(rows, mine.data());
    mirror.refresh();
    SerialArray<double> changed(shape);
    std::fill(changed.values().begin(), changed.values().end(), value + 1);
    for (int r = 0; r < world().size(); ++r)
      changed.put({{r, 0}, {r + 1, 200}, {}}, std::vector<double>(200, r + 0.5));
    EXPECT_TRUE(reads(mirror, changed, whole(shape)));
    world().barrier();
    fill(a, value + 1);
    mirror.refresh();
  }
}

TEST(LazyMirror, TwoMirrorsOfOneArrayKnowNothingOfEachOther) {
  Marked<double> a({300, 150}, Layout::blocked());
  LazyMirror<double> one(a.array, 1 << 20), two(a.array, 2 * tile_bytes);
  EXPECT_TRUE(reads(one, a.model, whole(a.array.shape())));
  EXPECT_EQ(reads_in(two.statistics().node), 0);
  world().barrier();
  EXPECT_TRUE(reads(two, a.model, whole(a.array.shape())));
  world().barrier();
  const std::int64_t held = one.statistics().tiles_held;
  two.refresh();
  EXPECT_EQ(two.statistics().tiles_held, 0);
  EXPECT_EQ(one.statistics().tiles_held, held);
  two.close();
  EXPECT_TRUE(reads(one, a.model, {{7, 9}, {200, 140}, {}}));
  world().barrier();
}

TEST(LazyMirror, NothingToReadAndMoreRanksThanRows) {
  for (const Index& shape : {Index{1}, Index{2, 3}, Index{1, 4, 1}, Index{0, 5}}) {
    Marked<double> a(shape, Layout::blocked());
    LazyMirror<double> mirror(a.array, tile_bytes);
    EXPECT_TRUE(reads(mirror, a.model, whole(shape)));
    mirror.get({shape, shape, {}}, nullptr);  // empty
    mirror.gather({}, nullptr);
    EXPECT_TRUE(reads(mirror, a.model, whole(shape)));
    mirror.refresh();
    EXPECT_TRUE(reads(mirror, a.model, whole(shape)));
    world().barrier();
  }
}

TEST(LazyMirror, AGroupMayHaveItsOwn) {
  // Every second rank of the world; the others do nothing.
  const Group half = world().split(world().rank() % 2);
  Array<std::int32_t> a(half, {70, 80});
  SerialArray<std::int32_t> model({70, 80});
  std::iota(model.values().begin(), model.values().end(), world().rank() % 2);
  if (half.rank() == 0) a.put(whole(a.shape()), model.values().data());
  LazyMirror<std::int32_t> mirror(a, 3 * tile_bytes);
  EXPECT_TRUE(mirror.group() == half);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reads(mirror, model, whole(a.shape())));
  half.barrier();
}

TEST(LazyMirror, ClosingGivesTheMemoryBack) {
  Array<double> a(world(), {1 << 18});
  const auto free_bytes = [] {
    world().barrier();
    const std::uint64_t bytes = detail::WorldState::get().arena().free_bytes();
    world().barrier();
    return bytes;
  };
  LazyMirror<double> mirror(a, 1 << 20);
  EXPECT_EQ(mirror.budget(), 1 << 20);
  const std::uint64_t before = free_bytes();
  mirror.close();
  const std::uint64_t freed = free_bytes() - before;
  EXPECT_GE(freed, world().nodes() > 1 ? std::uint64_t{1} << 20 : 1);
  for (int i = 0; i < 5; ++i) LazyMirror<double> let_go(a, 1 << 20);
  Array<double> next(world(), {1});  // members tell each other what they have let go
  world().barrier();
}

TEST(LazyMirror, BadArgumentsThrowOnAllRanks) {
  Array<double> a(world(), {100, 100}, {.name = "table"});
  Array<double> m(world(), {8, 8}, {.name = "m", .mirrored = true});
  const auto make = [](const AnyArray& array, std::int64_t budget) {
    return [&array, budget] { const AnyLazyMirror mirror(array, budget); };
  };
  for (const std::int64_t budget : {std::int64_t{0}, std::int64_t{-1}, tile_bytes - 1})
    EXPECT_TRUE(
        all_throw_error(world(), make(a, budget), ErrorKind::value,
                        {"lazy mirror", "'table'", "budget = " + std::to_string(budget), "8192"}));
  EXPECT_TRUE(all_throw_error(world(), make(m, tile_bytes), ErrorKind::value,
                              {"lazy mirror", "mirrored", "'m'"}));
  // One rank alone: everybody learns of it.
  EXPECT_TRUE(
      all_throw_error(world(), make(a, world().rank() == 0 ? 5 : tile_bytes), ErrorKind::value));
  if (world().size() > 1) {
    EXPECT_TRUE(all_throw_error(world(), make(a, tile_bytes * (1 + world().rank() % 2)),
                                ErrorKind::mismatch, {"lazy mirror"}));
  }
  LazyMirror<double> mirror(a);
  std::vector<double> buffer(100);
  EXPECT_TRUE(throws_error([&] { mirror.get({{0, 0}, {101, 1}, {}}, buffer.data()); },
                           ErrorKind::index, {"get", "[0:101, 0:1]", "'table'"}));
  EXPECT_TRUE(throws_error([&] { mirror.get({{0, 0}, {1, 1}, {}}, nullptr); }, ErrorKind::value,
                           {"null pointer"}));
  EXPECT_TRUE(throws_error([&] { mirror.get({{0, 0}, {1, 1}, {}}, buffer.data(), {1}); },
                           ErrorKind::value, {"strides"}));
  EXPECT_TRUE(throws_error([&] { (void)mirror.at({3, 100}); }, ErrorKind::index,
                           {"get", "[3:4, 100:101]"}));
  EXPECT_TRUE(throws_error([&] { (void)mirror.at({3, 4, 5, 6}); }, ErrorKind::index,
                           {"get", "dimensions"}));
  const std::array<std::int64_t, 4> outside{0, 0, 3, 100};
  EXPECT_TRUE(throws_error([&] { mirror.gather(outside, buffer.data()); }, ErrorKind::index,
                           {"gather", "(3, 100)", "number 1"}));
  const std::array<std::int64_t, 3> odd{1, 2, 3};
  EXPECT_TRUE(throws_error([&] { mirror.gather(odd, buffer.data()); }, ErrorKind::value,
                           {"positions has 3 numbers"}));
  // And it still works.
  mirror.get({{0, 0}, {1, 100}, {}}, buffer.data());
  EXPECT_EQ(buffer, std::vector<double>(100));
  world().barrier();
}

TEST(LazyMirror, WhatIsClosedOrGoneSaysSo) {
  Array<double> a(world(), {100, 100}, {.name = "table"});
  LazyMirror<double> mirror(a), other(a);
  double element = 0;
  const Patch one{{99, 99}, {100, 100}, {}};
  EXPECT_TRUE(mirror.alive());
  mirror.close();
  EXPECT_FALSE(mirror.alive());
  EXPECT_TRUE(throws_error([&] { mirror.get(one, &element); }, ErrorKind::state,
                           {"get", "closed", "'table'"}));
  EXPECT_TRUE(throws_error([&] { mirror.refresh(); }, ErrorKind::state, {"refresh", "closed"}));
  EXPECT_TRUE(throws_error([&] { mirror.close(); }, ErrorKind::state, {"closed"}));
  EXPECT_TRUE(throws_error([&] { (void)mirror.statistics(); }, ErrorKind::state, {"closed"}));
  const LazyMirror<double> moved = std::move(other);
  EXPECT_TRUE(throws_error([&] { other.get(one, &element); },  // NOLINT: that is the point
                           ErrorKind::state, {"moved"}));
  LazyMirror<double> third(a);
  a.destroy();
  EXPECT_FALSE(moved.alive());
  EXPECT_TRUE(throws_error([&] { moved.get(one, &element); }, ErrorKind::state, {"destroyed"}));
  EXPECT_TRUE(throws_error([&] { third.refresh(); }, ErrorKind::state, {"destroyed"}));
  third.close();
  EXPECT_TRUE(throws_error([&] { const LazyMirror<double> late(a); }, ErrorKind::state));
}

TEST(Tiling, TheTileOfAPositionHoldsIt) {
  Random random(17);
  for (int turn = 0; turn < 200; ++turn) {
    const Index shape = random_shape(random, 1 + turn % 5, 100000);
    const detail::Tiling tiling(shape, 8);
    const Index at = random_position(random, shape);
    const Patch tile = tiling.patch(tiling.tile_of(at));
    for (int d = 0; d < shape.size(); ++d) {
      EXPECT_LE(tile.lo[d], at[d]);
      EXPECT_LT(at[d], tile.hi[d]);
    }
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
