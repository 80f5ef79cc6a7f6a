// Bins against a plain sort: every rank brings other values, some none.
#include "atoll/bins.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class Bins : public testing::Test {};
TYPED_TEST_SUITE(Bins, IntegerTypes);

using Pair = std::pair<std::int64_t, std::int64_t>;  // bin, value

/// Everybody's pairs, known to all; those of `rank` are dealt to it.
struct Pairs {
  Pairs(Random& random, const Group& group, std::int64_t bins) : first{0} {
    for (int rank = 0; rank < group.size(); ++rank) {
      const std::int64_t more = random.chance(0.3) ? 0 : random.between(0, 40);
      for (std::int64_t i = 0; i < more; ++i)
        all.emplace_back(random.between(0, bins - 1), random.between(-9, 9));
      first.push_back(all.size());
    }
    for (std::size_t i = first[static_cast<std::size_t>(group.rank())];
         i < first[static_cast<std::size_t>(group.rank()) + 1]; ++i) {
      my_bins.push_back(all[i].first);
      my_values.push_back(all[i].second);
    }
    sorted = all;
    std::sort(sorted.begin(), sorted.end());
  }
  std::vector<Pair> all, sorted;
  std::vector<std::size_t> first;
  std::vector<std::int64_t> my_bins, my_values;
};

template <Element T>
std::vector<T> contents_of(const Array<T>& array) {
  std::vector<T> values(static_cast<std::size_t>(array.elements()));
  array.get(whole(array.shape()), values.data());
  return values;
}

TYPED_TEST(Bins, IndexAndSortGiveTheSortedPairs) {
  using T = TypeParam;
  for_each_group([](const Group& group) {
    Random random(181);
    for (int i = 0; i < 12; ++i) {
      const std::int64_t bins = random.between(1, 30);
      const Pairs pairs(random, group, bins);
      const auto total = std::ssize(pairs.all);
      const Index room{total + random.between(0, 3)}, numbers{bins};
      Array<T> contents(group, room, {random_layout(random, room, group.size()), "contents"});
      Array<std::int64_t> counts(group, numbers, {random_layout(random, numbers, group.size())}),
          offsets(group, numbers, {random_layout(random, numbers, group.size())});
      fill(contents, 77);
      fill(counts, -5);
      const bool at_once = random.chance(0.5);
      EXPECT_EQ(bin_index(contents, counts, offsets, pairs.my_values, pairs.my_bins, at_once),
                total);
      if (!at_once) {
        std::vector<Pair> found;
        const std::vector<T> unsorted = contents_of(contents);
        for (std::size_t k = 0; k < pairs.sorted.size(); ++k)
          found.emplace_back(pairs.sorted[k].first, unsorted[k]);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, pairs.sorted);
        bin_sort(contents, counts, offsets);
      }
      std::vector<T> expected;
      std::vector<std::int64_t> sizes(static_cast<std::size_t>(bins)), begins(sizes.size());
      for (const auto& [bin, value] : pairs.sorted) {
        expected.push_back(static_cast<T>(value));
        ++sizes[static_cast<std::size_t>(bin)];
      }
      for (std::size_t k = 1; k < sizes.size(); ++k) begins[k] = begins[k - 1] + sizes[k - 1];
      expected.resize(static_cast<std::size_t>(room[0]), T(77));
      EXPECT_TRUE(holds(contents, expected));
      EXPECT_TRUE(holds(counts, sizes));
      EXPECT_TRUE(holds(offsets, begins));
    }
  });
}

TYPED_TEST(Bins, SortLeavesWhatLiesBetweenTheBins) {
  using T = TypeParam;
  Array<T> contents = array_with<T>(world(), {9}, {9, 3, 2, 1, 0, 8, 7, 6, 5}, {});
  const Array<T> counts = array_with<T>(world(), {4}, {3, 0, 2, 0}, {});
  const Array<T> offsets = array_with<T>(world(), {4}, {1, 4, 6, 9}, {});
  bin_sort(contents, counts, offsets);
  EXPECT_TRUE(holds<T>(contents, {9, 1, 2, 3, 0, 8, 6, 7, 5}));
}

TEST(BinBytes, AreSortedAndCountsMayBeNone) {
  Array<std::uint8_t> contents(world(), {2 * world().size()}, {{}, "contents"});
  Array<bool> truths(world(), {2}, {{}, "truths"});
  Array<std::int32_t> counts(world(), {2}), offsets(world(), {2});
  const std::vector<std::int64_t> values{200 - world().rank(), 255}, bins{1, 0};
  bin_index(contents, counts, offsets, values, bins, true);
  std::vector<std::uint8_t> expected(static_cast<std::size_t>(world().size()), 255);
  for (int rank = world().size() - 1; rank >= 0; --rank)
    expected.push_back(static_cast<std::uint8_t>(200 - rank));
  EXPECT_TRUE(holds(contents, expected));
  const std::vector<std::int64_t> large{256}, first{0};
  EXPECT_TRUE(all_throw_error(world(), [&] { bin_index(contents, counts, offsets, large, first); },
                              ErrorKind::value, {"256", "'contents'", "uint8"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { bin_index(contents, truths, offsets, values, bins); },
                              ErrorKind::type, {"'truths'", "int32, int64"}));
}

TEST(BinErrors, NameWhatIsWrongOnAllRanksAndWriteNothing) {
  Array<std::int32_t> contents(world(), {5}, {{}, "contents"});
  Array<std::int64_t> counts(world(), {3}, {{}, "counts"}), offsets(world(), {3}, {{}, "offsets"});
  Array<double> reals(world(), {3}, {{}, "reals"});
  fill(contents, 4);
  fill(counts, 4);
  using List = std::vector<std::int64_t>;
  const bool odd_one = world().rank() == world().size() - 1;
  const auto refuses = [&](const List& values, const List& bins, ErrorKind kind,
                           const std::vector<std::string>& texts) {
    EXPECT_TRUE(all_throw_error(
        world(), [&] { bin_index(contents, counts, offsets, values, bins); }, kind, texts));
  };
  refuses({1}, {odd_one ? 3 : 0}, ErrorKind::index, {"bin_index", "bin 3", "'counts'"});
  refuses({1}, {odd_one ? -1 : 0}, ErrorKind::index, {"bin -1"});
  refuses({odd_one ? std::int64_t{1} << 31 : 0}, {0}, ErrorKind::value, {"2147483648", "int32"});
  refuses({1}, odd_one ? List{} : List{0}, ErrorKind::value, {"1 values for 0 bin"});
  refuses(List(odd_one ? 6 : 0), List(odd_one ? 6 : 0), ErrorKind::value,
          {"room for 5", "there are 6"});
  EXPECT_TRUE(all_throw_error(world(), [&] { bin_sort(contents, counts, reals); }, ErrorKind::type,
                              {"bin_sort", "'reals'", "float64"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { bin_sort(contents, counts, counts); },
                              ErrorKind::value, {"'counts'", "two of them"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { bin_sort(contents, counts, offsets); },
                              ErrorKind::value, {"bin 0", "neighbours", "'contents'"}));
  EXPECT_TRUE(holds(contents, std::vector<std::int32_t>(5, 4)));
  EXPECT_TRUE(holds(counts, List(3, 4)));
}

}  // namespace
}  // namespace lagoon::atoll::test
