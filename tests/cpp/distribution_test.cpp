// Distribution against a model that visits every element: rank and place in memory computed from
// the definitions in distribution.hpp, one element at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "array/distribution/piece.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using Starts = std::vector<std::vector<std::int64_t>>;

struct Place {
  int rank = -1;
  std::int64_t offset = -1;
  friend bool operator==(const Place&, const Place&) = default;
};

/// First indices of the blocks of a blocked distribution, found by asking for owners along the
/// axes: the definition leaves the exact cuts open.
Starts observed_starts(const Distribution& distribution) {
  const Index& shape = distribution.shape();
  Starts starts(static_cast<std::size_t>(shape.size()));
  for (int d = 0; d < shape.size(); ++d) {
    auto& cuts = starts[static_cast<std::size_t>(d)];
    cuts.push_back(0);
    if (shape.product() == 0) continue;
    Index at = Index::filled(shape.size(), 0);
    int owner = distribution.owner(at);
    for (at[d] = 1; at[d] < shape[d]; ++at[d])
      if (distribution.owner(at) != owner) {
        owner = distribution.owner(at);
        cuts.push_back(at[d]);
      }
  }
  return starts;
}

/// Where every element lies, by its row-major number.
class Model {
 public:
  Model(const Layout& layout, const Distribution& distribution)
      : shape_(distribution.shape()), grid_(distribution.grid()), kind_(layout.kind) {
    if (kind_ == DistributionKind::blocked) starts_ = observed_starts(distribution);
    if (!layout.starts.empty()) starts_ = layout.starts;
    block_ = layout.block;
    elements_.resize(static_cast<std::size_t>(distribution.ranks()), 0);
    places_.resize(static_cast<std::size_t>(shape_.product()));
    for_each_position(shape_, [&](const Index& at, std::int64_t linear) {
      Place& place = places_[static_cast<std::size_t>(linear)];
      place.rank = static_cast<int>(linear_index(grid_cell(at), grid_));
      if (kind_ == DistributionKind::dealt) place.rank %= distribution.ranks();
    });
    for (int rank = 0; rank < distribution.ranks(); ++rank) number_elements(rank);
  }

  const Place& at(const Index& position) const {
    return places_[static_cast<std::size_t>(linear_index(position, shape_))];
  }
  std::int64_t elements(int rank) const { return elements_[static_cast<std::size_t>(rank)]; }
  const Starts& starts() const { return starts_; }
  const std::vector<Place>& places() const { return places_; }

  /// Coordinates of the block that holds a position.
  Index block_of(const Index& at) const {
    Index block = at;
    for (int d = 0; d < at.size(); ++d) {
      if (starts_.empty()) {
        block[d] = at[d] / block_[d];
      } else {
        const auto& cuts = starts_[static_cast<std::size_t>(d)];
        block[d] = std::count_if(cuts.begin(), cuts.end(),
                                 [&](std::int64_t start) { return start <= at[d]; }) -
                   1;
      }
    }
    return block;
  }

 private:
  bool cyclic() const {
    return kind_ == DistributionKind::block_cyclic || kind_ == DistributionKind::tiled ||
           kind_ == DistributionKind::tiled_irregular;
  }
  Index grid_cell(const Index& at) const {
    Index cell = block_of(at);
    if (cyclic())
      for (int d = 0; d < cell.size(); ++d) cell[d] %= grid_[d];
    return cell;
  }

  /// Local memory is row-major: a rank's elements in row-major order of position; for tiled and
  /// dealt ones, block after block in row-major order of blocks.
  void number_elements(int rank) {
    std::vector<std::pair<std::vector<std::int64_t>, std::size_t>> mine;
    for_each_position(shape_, [&](const Index& at, std::int64_t linear) {
      if (places_[static_cast<std::size_t>(linear)].rank != rank) return;
      std::vector<std::int64_t> key;
      if (kind_ == DistributionKind::tiled || kind_ == DistributionKind::tiled_irregular ||
          kind_ == DistributionKind::dealt) {
        const Index block = block_of(at);
        key.assign(block.begin(), block.end());
      }
      key.insert(key.end(), at.begin(), at.end());
      mine.emplace_back(std::move(key), static_cast<std::size_t>(linear));
    });
    std::sort(mine.begin(), mine.end());
    for (std::size_t i = 0; i < mine.size(); ++i)
      places_[mine[i].second].offset = static_cast<std::int64_t>(i);
    elements_[static_cast<std::size_t>(rank)] = std::ssize(mine);
  }

  Index shape_, grid_, block_;
  DistributionKind kind_;
  Starts starts_;
  std::vector<Place> places_;
  std::vector<std::int64_t> elements_;
};

struct Case {
  Index shape;
  int ranks;
  Layout layout;
};

Case random_case(Random& random) {
  Case result;
  const int dimensions = static_cast<int>(random.between(1, max_dimensions));
  result.shape = random_shape(random, dimensions, random.chance(0.2) ? 900 : 120);
  if (random.chance(0.05)) result.shape[static_cast<int>(random.between(0, dimensions - 1))] = 0;
  result.ranks = static_cast<int>(random.between(1, 17));
  result.layout = random_plain_layout(random, result.shape, result.ranks);
  if (!result.layout.block.empty() && random.chance(0.1))  // blocks above the extent
    result.layout.block[static_cast<int>(random.between(0, dimensions - 1))] += 1000;
  return result;
}

std::string text_of(const Case& c, const Distribution& distribution) {
  return c.shape.to_string() + " on " + std::to_string(c.ranks) + " ranks, wish " +
         c.layout.block.to_string() + ", " + distribution.to_string();
}

/// Runs `check(case, distribution, model, random)` on many random cases, other ones on each rank.
template <class F>
void for_random_cases(std::uint64_t seed, int count, F&& check) {
  Random random(seed, world().rank());
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const Case c = random_case(random);
    const Distribution distribution(c.layout, c.shape, c.ranks);
    const Model model(c.layout, distribution);
    SCOPED_TRACE(text_of(c, distribution));
    check(c, distribution, model, random);
  }
}

bool lexicographic(const Index& a, const Index& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// The array position of an element of a dense patch.
Index inside(const Patch& patch, const Index& at) { return array_position(patch, at); }

TEST(Distribution, OwnerIsThatOfTheDefinition) {
  for_random_cases(11, 1500, [](const Case& c, const Distribution& d, const Model& model, Random&) {
    int wrong = 0;
    for_each_position(c.shape, [&](const Index& at, std::int64_t) {
      if (d.owner(at) != model.at(at).rank) ++wrong;
    });
    EXPECT_EQ(wrong, 0);
    if (c.layout.kind != DistributionKind::dealt) {
      EXPECT_LE(d.grid().product(), c.ranks);
    }
    EXPECT_EQ(d.ranks(), c.ranks);
    EXPECT_EQ(d.shape(), c.shape);
    EXPECT_EQ(d.kind(), c.layout.kind);
    if (!c.layout.grid.empty()) {
      EXPECT_EQ(d.grid(), c.layout.grid);
    }
  });
}

TEST(Distribution, BlocksAreNearlyEqualAndNotBelowTheMinimum) {
  Random random(12, world().rank());
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    Case c = random_case(random);
    if (c.shape.product() == 0) continue;
    const Index minimum = Index::filled(c.shape.size(), 0);
    c.layout = Layout::blocked(minimum);
    for (std::int64_t& entry : c.layout.block) entry = random.between(0, 6);
    const Distribution distribution(c.layout, c.shape, c.ranks);
    SCOPED_TRACE(text_of(c, distribution));
    const Starts starts = observed_starts(distribution);
    for (int d = 0; d < c.shape.size(); ++d) {
      const auto& cuts = starts[static_cast<std::size_t>(d)];
      EXPECT_EQ(std::ssize(cuts), distribution.grid()[d]);
      std::int64_t least = c.shape[d], most = 0;
      for (std::size_t b = 0; b < cuts.size(); ++b) {
        const std::int64_t size = (b + 1 < cuts.size() ? cuts[b + 1] : c.shape[d]) - cuts[b];
        least = std::min(least, size);
        most = std::max(most, size);
      }
      EXPECT_LE(most - least, 1);
      EXPECT_GE(least, std::min(c.layout.block[d], c.shape[d]));
      EXPECT_EQ(distribution.block()[d], most);
    }
  }
}

TEST(Distribution, OneDimensionIsSharedOutEvenly) {
  for (int ranks = 1; ranks <= 17; ++ranks)
    for (std::int64_t extent = 1; extent < 60; ++extent) {
      const Distribution distribution(Layout::blocked(), {extent}, ranks);
      EXPECT_EQ(distribution.block()[0], (extent + ranks - 1) / ranks);
    }
}

TEST(Distribution, MinimumOfTheExtentForbidsCutting) {
  const Distribution distribution(Layout::blocked({100, 0}), {100, 60}, 6);
  EXPECT_EQ(distribution.grid(), (Index{1, 6}));
  const Distribution uncut(Layout::blocked({1000, 60}), {100, 60}, 6);
  EXPECT_EQ(uncut.grid(), (Index{1, 1}));
  EXPECT_EQ(uncut.local_elements(0), 6000);
  EXPECT_EQ(uncut.local_elements(1), 0);
}

TEST(Distribution, PatchesOfARankAreItsElementsInBlockOrder) {
  for_random_cases(13, 1500, [](const Case& c, const Distribution& d, const Model& model, Random&) {
    for (int rank = 0; rank < c.ranks; ++rank) {
      std::int64_t covered = 0;
      const std::vector<Patch> patches = d.patches(rank);
      if (c.layout.kind == DistributionKind::blocked ||
          c.layout.kind == DistributionKind::irregular) {
        EXPECT_LE(patches.size(), 1U);
      }
      for (std::size_t i = 0; i < patches.size(); ++i) {
        EXPECT_FALSE(patches[i].empty());
        if (i > 0) {
          EXPECT_TRUE(lexicographic(patches[i - 1].lo, patches[i].lo));
        }
        const Index block = model.block_of(patches[i].lo);
        for_each_position(patches[i].shape(), [&](const Index& at, std::int64_t) {
          const Index where = inside(patches[i], at);
          if (model.at(where).rank == rank && model.block_of(where) == block) ++covered;
        });
      }
      std::int64_t listed = 0;
      for (const Patch& patch : patches) listed += patch.elements();
      // No element twice: the patches lie in different blocks, each wholly within its own.
      EXPECT_EQ(listed, covered);
      EXPECT_EQ(covered, model.elements(rank));
    }
  });
}

TEST(Distribution, LocalElementsAndShapeCountWhatARankOwns) {
  for_random_cases(14, 1500, [](const Case& c, const Distribution& d, const Model& model, Random&) {
    std::int64_t total = 0;
    for (int rank = 0; rank < c.ranks; ++rank) {
      EXPECT_EQ(d.local_elements(rank), model.elements(rank));
      total += d.local_elements(rank);
      if (c.layout.kind == DistributionKind::dealt) {
        EXPECT_TRUE(throws_error([&] { (void)d.local_shape(rank); }, ErrorKind::value, {"dealt"}));
        continue;
      }
      // The extents of the dense local matrix: the distinct indices owned in each dimension.
      std::vector<std::set<std::int64_t>> seen(static_cast<std::size_t>(c.shape.size()));
      for_each_position(c.shape, [&](const Index& at, std::int64_t) {
        if (model.at(at).rank != rank) return;
        for (int dim = 0; dim < at.size(); ++dim)
          seen[static_cast<std::size_t>(dim)].insert(at[dim]);
      });
      if (model.elements(rank) == 0) {
        EXPECT_EQ(d.local_shape(rank).product(), 0);
        continue;
      }
      for (int dim = 0; dim < c.shape.size(); ++dim)
        EXPECT_EQ(d.local_shape(rank)[dim], std::ssize(seen[static_cast<std::size_t>(dim)]));
    }
    EXPECT_EQ(total, c.shape.product());
  });
}

/// All elements of all pieces, by section position: where the piece says they are.
std::vector<std::vector<Place>> places_of_pieces(const Distribution& d, const Patch& section) {
  const Index shape = section.shape();
  std::vector<std::vector<Place>> places(static_cast<std::size_t>(section.elements()));
  d.for_each_piece(section, [&](const Piece& piece) {
    for_each_position(piece.shape, [&](const Index& at, std::int64_t) {
      Index where = piece.position;
      std::int64_t offset = piece.offset;
      for (int dim = 0; dim < at.size(); ++dim) {
        where[dim] += at[dim];
        offset += at[dim] * piece.strides[dim];
      }
      places.at(static_cast<std::size_t>(linear_index(where, shape)))
          .push_back({piece.rank, offset});
    });
  });
  return places;
}

void expect_pieces(const Distribution& d, const Model& model, const Patch& section) {
  SCOPED_TRACE("section " + section.to_string());
  const auto places = places_of_pieces(d, section);
  int missing = 0, twice = 0, wrong = 0;
  for_each_position(section.shape(), [&](const Index& at, std::int64_t linear) {
    const auto& found = places[static_cast<std::size_t>(linear)];
    if (found.empty()) {
      ++missing;
    } else {
      if (found.size() > 1) ++twice;
      if (found[0] != model.at(array_position(section, at))) ++wrong;
    }
  });
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(twice, 0);
  EXPECT_EQ(wrong, 0);
}

TEST(Distribution, PiecesOfTheWholeArrayAreABijectionOntoEveryMemory) {
  for_random_cases(15, 1500, [](const Case& c, const Distribution& d, const Model& model, Random&) {
    expect_pieces(d, model, whole(c.shape));
    std::vector<std::vector<int>> hits(static_cast<std::size_t>(c.ranks));
    for (int rank = 0; rank < c.ranks; ++rank)
      hits[static_cast<std::size_t>(rank)].resize(static_cast<std::size_t>(d.local_elements(rank)));
    for (const auto& found : places_of_pieces(d, whole(c.shape)))
      for (const Place& place : found)
        ++hits.at(static_cast<std::size_t>(place.rank)).at(static_cast<std::size_t>(place.offset));
    for (const auto& memory : hits)
      EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](int n) { return n == 1; }));
  });
}

TEST(Distribution, PiecesOfSteppedSectionsLieWhereTheDefinitionSays) {
  for_random_cases(16, 1500,
                   [](const Case& c, const Distribution& d, const Model& model, Random& random) {
                     for (int i = 0; i < 4; ++i) {
                       Patch section = random_patch(random, c.shape, i > 0);
                       if (i == 3)
                         for (std::int64_t& step : section.step) step = random.between(1, 40);
                       expect_pieces(d, model, section);
                     }
                   });
}

TEST(Distribution, EmptySectionsHaveNoPieces) {
  const Distribution d(Layout::block_cyclic({2, 3}), {10, 10}, 4);
  int pieces = 0;
  d.for_each_piece({{3, 4}, {3, 9}, {}}, [&](const Piece&) { ++pieces; });
  EXPECT_EQ(pieces, 0);
  EXPECT_TRUE(d.locate({{3, 4}, {5, 4}, {}}).empty());
}

TEST(Distribution, LocateCoversAPatchOnceInBlockOrder) {
  for_random_cases(
      17, 1500, [](const Case& c, const Distribution& d, const Model& model, Random& random) {
        const Patch patch = random_patch(random, c.shape);
        if (patch.empty()) return;
        std::set<std::int64_t> covered;
        Index before;
        for (const OwnedPatch& owned : d.locate(patch)) {
          const Index block = model.block_of(owned.patch.lo);
          if (!before.empty()) {
            EXPECT_TRUE(lexicographic(before, block)) << owned.patch.to_string();
          }
          before = block;
          for_each_position(owned.patch.shape(), [&](const Index& at, std::int64_t) {
            const Index where = inside(owned.patch, at);
            EXPECT_EQ(model.at(where).rank, owned.rank);
            EXPECT_EQ(model.block_of(where), block);
            EXPECT_EQ(
                intersection(
                    patch, {where, inside({where, where, {}}, Index::filled(where.size(), 1)), {}})
                    .elements(),
                1);
            EXPECT_TRUE(covered.insert(linear_index(where, c.shape)).second);
          });
        }
        EXPECT_EQ(std::ssize(covered), patch.elements());
      });
}

TEST(Distribution, EqualOnesPutEveryElementInTheSamePlace) {
  Random random(18, world().rank());
  int equal = 0;
  for (int i = 0; i < 4000 && !HasFailure(); ++i) {
    Case a = random_case(random);
    a.shape = random_shape(random, static_cast<int>(random.between(1, 2)), 12);
    a.ranks = static_cast<int>(random.between(1, 4));
    a.layout = random_plain_layout(random, a.shape, a.ranks);
    Case b = a;
    b.layout = random_plain_layout(random, a.shape, a.ranks);
    const Distribution first(a.layout, a.shape, a.ranks), second(b.layout, b.shape, b.ranks);
    EXPECT_TRUE(first == Distribution(a.layout, a.shape, a.ranks));
    EXPECT_EQ(first == second, second == first);
    if (!(first == second)) continue;
    ++equal;
    SCOPED_TRACE(text_of(a, first) + " and " + text_of(b, second));
    EXPECT_EQ(Model(a.layout, first).places(), Model(b.layout, second).places());
  }
  EXPECT_GT(equal, 100);
}

TEST(Distribution, EqualityLooksAtBlocksNotAtTheWish) {
  const Index shape{10, 4};
  const Distribution blocked(Layout::blocked({1, 4}), shape, 2);
  EXPECT_TRUE(blocked == Distribution(Layout::irregular({{0, 5}, {0}}), shape, 2));
  EXPECT_FALSE(blocked == Distribution(Layout::irregular({{0, 6}, {0}}), shape, 2));
  EXPECT_FALSE(blocked == Distribution(Layout::blocked({1, 4}), {10, 5}, 2));
  EXPECT_FALSE(Distribution(Layout::block_cyclic({2, 2}), shape, 2) ==
               Distribution(Layout::tiled({2, 2}), shape, 2));
  EXPECT_FALSE(Distribution(Layout::tiled({2, 2}), shape, 2) ==
               Distribution(Layout::tiled({2, 1}), shape, 2));
  EXPECT_FALSE(Distribution(Layout::tiled_irregular({{0, 2, 6}, {0}}, {2, 1}), shape, 2) ==
               Distribution(Layout::tiled_irregular({{0, 4, 6}, {0}}, {2, 1}), shape, 2));
  const Distribution dealt(Layout::dealt({4, 4}), shape, 3);  // three blocks
  EXPECT_TRUE(dealt == Distribution(Layout::dealt({4, 4}), shape, 5));
  EXPECT_FALSE(dealt == Distribution(Layout::dealt({4, 4}), shape, 2));
}

TEST(Distribution, ExtentsBeyond32BitsAreExact) {
  const std::int64_t rows = std::int64_t{1} << 40, columns = (std::int64_t{1} << 21) + 7;
  const Index shape{rows, columns};
  const Layout layouts[] = {Layout::blocked(),
                            Layout::irregular({{0, rows - 5}, {0, 3, 4}}),
                            Layout::block_cyclic({1 << 30, 1000}, {2, 3}),
                            Layout::tiled({1 << 30, 1000}, {2, 3}),
                            Layout::tiled_irregular({{0, 7, rows - 5}, {0, 3, 4}}, {2, 3}),
                            Layout::dealt({1 << 30, 1000}),
                            Layout::dealt({3, 1})};
  for (const Layout& layout : layouts) {
    const Distribution d(layout, shape, 6);
    SCOPED_TRACE(d.to_string());
    std::int64_t total = 0;
    for (int rank = 0; rank < 6; ++rank) total += d.local_elements(rank);
    EXPECT_EQ(total, rows * columns);
    const Index end{rows - 1, columns - 1};
    int pieces = 0;
    d.for_each_piece({end, {rows, columns}, {}}, [&](const Piece& piece) {
      ++pieces;
      EXPECT_EQ(piece.rank, d.owner(end));
      // The array's last element is the last of its owner's memory.
      EXPECT_EQ(piece.offset, d.local_elements(piece.rank) - 1);
    });
    EXPECT_EQ(pieces, 1);
  }
}

TEST(Distribution, BadWishesAreValueErrors) {
  const auto refuses = [](const Layout& layout, const Index& shape, int ranks,
                          const std::string& text) {
    return throws_error([&] { Distribution(layout, shape, ranks); }, ErrorKind::value, {text});
  };
  const Layout blocked = Layout::blocked();
  EXPECT_TRUE(refuses(blocked, {}, 2, "dimension"));
  EXPECT_TRUE(refuses(blocked, {3, -1}, 2, "(3, -1)"));
  EXPECT_TRUE(refuses(blocked, {3, 3}, 0, "ranks"));
  EXPECT_TRUE(refuses(blocked, {std::int64_t{1} << 40, std::int64_t{1} << 40}, 2, "2^63"));
  EXPECT_TRUE(refuses(Layout::blocked({1, 2, 3}), {3, 3}, 2, "(1, 2, 3)"));
  EXPECT_TRUE(refuses(Layout::irregular({{0, 2}}), {3, 3}, 2, "dimensions"));
  EXPECT_TRUE(refuses(Layout::irregular({{1, 2}, {0}}), {3, 3}, 2, "begin with 0"));
  EXPECT_TRUE(refuses(Layout::irregular({{}, {0}}), {3, 3}, 2, "begin with 0"));
  EXPECT_TRUE(refuses(Layout::irregular({{0, 2, 2}, {0}}), {3, 3}, 4, "ascend"));
  EXPECT_TRUE(refuses(Layout::irregular({{0, 3}, {0}}), {3, 3}, 2, "extent 3"));
  EXPECT_TRUE(refuses(Layout::irregular({{0, 1}, {0, 1}}), {3, 3}, 3, "4 irregular blocks"));
  EXPECT_TRUE(refuses(Layout::block_cyclic({2}), {3, 3}, 2, "entries"));
  EXPECT_TRUE(refuses(Layout::block_cyclic({2, 0}), {3, 3}, 2, "below 1"));
  EXPECT_TRUE(refuses(Layout::tiled({2, 2}, {2}), {3, 3}, 2, "grid"));
  EXPECT_TRUE(refuses(Layout::tiled({2, 2}, {0, 1}), {3, 3}, 2, "grid"));
  EXPECT_TRUE(refuses(Layout::tiled({2, 2}, {2, 2}), {3, 3}, 3, "ranks"));
  EXPECT_TRUE(refuses(Layout::tiled_irregular({{0, 2}}), {3, 3}, 2, "dimensions"));
  EXPECT_TRUE(refuses(Layout::tiled_irregular({{0, 2}, {1}}), {3, 3}, 2, "begin with 0"));
  EXPECT_TRUE(refuses(Layout::tiled_irregular({{0, 2}, {0}}, {3, 1}), {3, 3}, 2, "ranks"));
  EXPECT_TRUE(refuses(Layout::dealt({2}), {3, 3}, 2, "entries"));
  EXPECT_TRUE(refuses(Layout::dealt({2, 0}), {3, 3}, 2, "below 1"));
}

TEST(Distribution, OwnerOutsideIsAnIndexError) {
  const Distribution d(Layout::blocked(), {4, 5}, 3);
  EXPECT_TRUE(throws_error([&] { d.owner({4, 0}); }, ErrorKind::index, {"(4, 0)"}));
  EXPECT_TRUE(throws_error([&] { d.owner({0, -1}); }, ErrorKind::index, {"(0, -1)"}));
}

TEST(Distribution, SaysWhatItIs) {
  const Distribution d(Layout::tiled({16, 8}, {2, 1}), {100, 50}, 3);
  EXPECT_NE(d.to_string().find("tiled 2 x 1 grid"), std::string::npos) << d.to_string();
  EXPECT_NE(d.to_string().find("(16, 8)"), std::string::npos) << d.to_string();
  const Distribution dealt(Layout::dealt({16, 8}), {100, 50}, 3);
  EXPECT_NE(dealt.to_string().find("dealt 7 x 7 grid"), std::string::npos) << dealt.to_string();
}

}  // namespace
}  // namespace lagoon::atoll::test
