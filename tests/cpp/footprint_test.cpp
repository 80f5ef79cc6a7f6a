// Footprints against sets of bytes.
#include "transport/footprint.hpp"

#include <set>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::Footprint;
using detail::Runs;

std::set<std::int64_t> bytes_of(const Footprint& footprint) {
  std::set<std::int64_t> bytes;
  footprint.runs.for_each_row(
      0, footprint.runs.bytes(),
      [&](std::int64_t offset, std::int64_t stride, std::int64_t run, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
          for (std::int64_t b = 0; b < run; ++b)
            bytes.insert(footprint.offset + offset + i * stride + b);
      });
  return bytes;
}

bool share_a_byte(const Footprint& a, const Footprint& b) {
  const std::set<std::int64_t> first = bytes_of(a), second = bytes_of(b);
  return std::any_of(first.begin(), first.end(),
                     [&](std::int64_t byte) { return second.contains(byte); });
}

/// A section of a packed array.
Footprint footprint_of(const Patch& patch, const Index& shape, std::int64_t size) {
  Index strides = packed_strides(shape);
  Footprint result;
  for (int d = 0; d < shape.size(); ++d) {
    strides[d] *= size;
    result.offset += patch.lo[d] * strides[d];
    if (!patch.step.empty()) strides[d] *= patch.step[d];
  }
  result.runs = Runs::of(patch.shape(), strides, static_cast<std::size_t>(size));
  return result;
}

TEST(Footprint, PatchesOfAnArrayOverlapExactlyWhereTheyShareBytes) {
  Random random(23);
  std::int64_t apart = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto dimensions = static_cast<int>(random.between(1, 4));
    const Index shape = random_shape(random, dimensions, 300);
    const Footprint a = footprint_of(random_patch(random, shape), shape, 4);
    const Footprint b = footprint_of(random_patch(random, shape), shape, 4);
    ASSERT_EQ(a.overlaps(b), share_a_byte(a, b)) << round << " in " << shape.to_string();
    ASSERT_EQ(b.overlaps(a), a.overlaps(b));
    apart += a.overlaps(b) ? 0 : 1;
  }
  EXPECT_GT(apart, 100);
}

TEST(Footprint, SectionsThatShareBytesAlwaysOverlap) {
  Random random(29);
  const auto section = [&] {
    Footprint result;
    result.offset = random.between(0, 60);
    result.runs.run_bytes = random.between(1, 9);
    result.runs.levels = random.between(0, 3);
    for (std::size_t l = 0; l < static_cast<std::size_t>(result.runs.levels); ++l)
      result.runs.level[l] = {random.between(1, 4), random.between(-40, 40)};
    return result;
  };
  for (int round = 0; round < 3000; ++round) {
    const Footprint a = section(), b = section();
    if (share_a_byte(a, b)) {
      ASSERT_TRUE(a.overlaps(b)) << round;
    }
  }
}

TEST(Footprint, InterleavedStripsAndSteppedRowsAreApart) {
  const Index shape{64, 64};
  const Footprint left = footprint_of({{0, 0}, {64, 7}, {}}, shape, 8);
  const Footprint right = footprint_of({{0, 7}, {64, 9}, {}}, shape, 8);
  const Footprint even = footprint_of({{0, 0}, {64, 64}, {2, 1}}, shape, 8);
  const Footprint odd = footprint_of({{1, 0}, {64, 64}, {2, 1}}, shape, 8);
  const Footprint odd_columns = footprint_of({{0, 1}, {64, 64}, {1, 2}}, shape, 8);
  const Footprint even_columns = footprint_of({{0, 0}, {64, 64}, {1, 2}}, shape, 8);
  EXPECT_FALSE(left.overlaps(right));
  EXPECT_FALSE(even.overlaps(odd));
  EXPECT_FALSE(even_columns.overlaps(odd_columns));
  EXPECT_TRUE(left.overlaps(even));
  EXPECT_TRUE(odd.overlaps(odd_columns));
  Footprint elsewhere = left;
  elsewhere.owner = 1;
  EXPECT_FALSE(left.overlaps(elsewhere));
}

}  // namespace
}  // namespace lagoon::atoll::test
