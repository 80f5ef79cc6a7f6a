// The geometry under the algebra: owned blocks, sections inside blocks, overlaps, chunks; each
// against a search over all elements.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "algebra/core/sections.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::OwnedBlock;
using detail::Range;

/// Row-major numbers, in an array of this shape, of a section's elements.
std::set<std::int64_t> numbers_of(const Patch& section, const Index& shape) {
  std::set<std::int64_t> numbers;
  for_each_position(section.shape(), [&](const Index& at, std::int64_t) {
    numbers.insert(linear_index(array_position(section, at), shape));
  });
  return numbers;
}

TEST(AlgebraSections, OwnedBlocksAreTheDistributionsPatchesAndPlaces) {
  Random random(21, world().rank());
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    const Index shape =
        random_shape(random, static_cast<int>(random.between(1, max_dimensions)), 200);
    const int ranks = static_cast<int>(random.between(1, 17));
    const Distribution d(random_layout(random, shape, ranks), shape, ranks);
    SCOPED_TRACE(shape.to_string() + ", " + d.to_string());
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<Patch> patches;
      detail::for_each_owned_block(d, rank, [&](const OwnedBlock& block) {
        patches.push_back(block.patch);
        for_each_position(block.patch.shape(), [&](const Index& at, std::int64_t) {
          Index where = array_position(block.patch, at), end = where;
          for (std::int64_t& coordinate : end) ++coordinate;
          d.for_each_piece({where, end, {}}, [&](const Piece& piece) {
            EXPECT_EQ(piece.rank, rank);
            EXPECT_EQ(piece.offset, detail::offset_in_block(block, where));
          });
        });
      });
      EXPECT_EQ(patches, d.patches(rank));
    }
  }
}

TEST(AlgebraSections, SectionInBlockFindsExactlyTheCommonElements) {
  Random random(22, world().rank());
  for (int i = 0; i < 4000 && !HasFailure(); ++i) {
    const Index shape = random_shape(random, static_cast<int>(random.between(1, 4)), 100);
    const Patch section = random_patch(random, shape, true), block = random_patch(random, shape);
    SCOPED_TRACE(section.to_string() + " in " + block.to_string());
    std::set<std::int64_t> expected;
    const auto in_block = numbers_of(block, shape);
    for (const std::int64_t number : numbers_of(section, shape))
      if (in_block.contains(number)) expected.insert(number);
    Range range;
    const bool any = detail::section_in_block(section, block, range);
    EXPECT_EQ(any, !expected.empty());
    if (any) {
      EXPECT_EQ(numbers_of(detail::subsection(section, range), shape), expected);
    }
  }
}

TEST(AlgebraSections, OverlapIsACommonElement) {
  Random random(23, world().rank());
  int overlaps = 0;
  for (int i = 0; i < 4000 && !HasFailure(); ++i) {
    const Index shape = random_shape(random, static_cast<int>(random.between(1, 3)), 80);
    Patch a = random_patch(random, shape, true), b = random_patch(random, shape, true);
    for (Patch* patch : {&a, &b})
      for (std::int64_t& step : patch->step) step = random.between(1, 9);
    const auto in_a = numbers_of(a, shape);
    bool common = false;
    for (const std::int64_t number : numbers_of(b, shape)) common |= in_a.contains(number);
    EXPECT_EQ(detail::sections_overlap(a, b), common) << a.to_string() << " " << b.to_string();
    overlaps += common ? 1 : 0;
  }
  EXPECT_GT(overlaps, 200);
}

TEST(AlgebraSections, ChunksCoverARangeOnceAndAreSmallEnough) {
  Random random(24, world().rank());
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    const Index shape = random_shape(random, static_cast<int>(random.between(1, 5)), 300);
    const Patch part = random_patch(random, shape);
    const std::int64_t most = random.between(1, 60);
    for (const bool square : {false, true}) {
      const Index chunk =
          square ? detail::square_chunk(part.shape(), most) : detail::row_chunk(part.shape(), most);
      SCOPED_TRACE(part.to_string() + " by " + chunk.to_string());
      EXPECT_LE(chunk.product(), most);
      std::set<std::int64_t> covered;
      std::int64_t total = 0;
      detail::for_each_chunk({part.lo, part.hi}, chunk, [&](const Range& range) {
        const Patch piece{range.first, range.last, {}};
        EXPECT_LE(piece.elements(), most);
        total += piece.elements();
        covered.merge(numbers_of(piece, shape));
      });
      EXPECT_EQ(covered, numbers_of(part, shape));
      EXPECT_EQ(total, part.elements());
    }
  }
}

TEST(AlgebraSections, SquareChunksAreAboutSquare) {
  EXPECT_EQ(detail::square_chunk({10000, 10000}, 1 << 16), (Index{256, 256}));
  EXPECT_EQ(detail::square_chunk({10000, 10, 10000}, 1 << 16), (Index{256, 1, 256}));
  EXPECT_EQ(detail::row_chunk({10000, 10000}, 1 << 16), (Index{6, 10000}));
}

}  // namespace
}  // namespace lagoon::atoll::test
