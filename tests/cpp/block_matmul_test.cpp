// Block-sparse products against a serial loop over the kept pairs of blocks, what is fetched for
// them, norms of blocks, and calls that must fail. Blocks that no kept pair needs hold NaN.
#include "atoll/block_matmul.hpp"

#include <limits>
#include <numeric>
#include <set>

#include "matmul_support.hpp"
#include "wire_counter.hpp"

namespace lagoon::atoll::test {
namespace {

using Cuts = std::vector<std::int64_t>;

/// Blocks of random sizes, some of them empty.
Cuts random_cuts(Random& random, std::int64_t extent) {
  if (extent == 0) return random.chance(0.5) ? Cuts{} : Cuts{0};
  Cuts cuts{0};
  for (std::int64_t i = random.between(0, std::min<std::int64_t>(extent, 12)); i > 0; --i)
    cuts.push_back(random.between(0, extent));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

Cuts even_cuts(std::int64_t extent, std::int64_t block) {
  Cuts cuts;
  for (std::int64_t i = 0; i < extent; i += block) cuts.push_back(i);
  return cuts;
}

/// The block of each position.
std::vector<std::int64_t> blocks_of(const Cuts& cuts, std::int64_t extent) {
  std::vector<std::int64_t> blocks;
  for (std::size_t b = 0; b < cuts.size(); ++b) {
    const std::int64_t end = b + 1 < cuts.size() ? cuts[b + 1] : extent;
    blocks.insert(blocks.end(), static_cast<std::size_t>(end - cuts[b]),
                  static_cast<std::int64_t>(b));
  }
  return blocks;
}

/// A product, its blocks and a pure random screen.
struct Case {
  std::int64_t m, n, k;
  BlockCuts cuts;
  std::vector<char> kept;                          // by row, column and inner block
  std::vector<std::int64_t> rows, columns, inner;  // block of each position

  explicit Case(Random& random) {
    const auto extent = [&] {
      return random.chance(0.1) ? random.between(0, 1) : random.between(1, 60);
    };
    m = extent(), n = extent(), k = random.chance(0.2) ? random.between(0, 500) : extent();
    cuts = {random_cuts(random, m), random_cuts(random, n), random_cuts(random, k)};
    const double density =
        random.chance(0.2) ? static_cast<double>(random.between(0, 1)) : random.uniform();
    kept.resize(cuts.rows.size() * cuts.columns.size() * cuts.inner.size());
    for (char& pair : kept) pair = random.chance(density) ? 1 : 0;
    rows = blocks_of(cuts.rows, m);
    columns = blocks_of(cuts.columns, n);
    inner = blocks_of(cuts.inner, k);
  }
  bool keeps(std::int64_t i, std::int64_t j, std::int64_t l) const {
    return kept[(static_cast<std::size_t>(i) * cuts.columns.size() + static_cast<std::size_t>(j)) *
                    cuts.inner.size() +
                static_cast<std::size_t>(l)] != 0;
  }
  /// Whether a kept pair needs this row and place of k of op(a), or this place and column of op(b).
  bool needs_a(std::int64_t row, std::int64_t l) const {
    return std::ranges::any_of(columns, [&](std::int64_t j) {
      return keeps(rows[static_cast<std::size_t>(row)], j, inner[static_cast<std::size_t>(l)]);
    });
  }
  bool needs_b(std::int64_t l, std::int64_t column) const {
    return std::ranges::any_of(rows, [&](std::int64_t i) {
      return keeps(i, columns[static_cast<std::size_t>(column)],
                   inner[static_cast<std::size_t>(l)]);
    });
  }
};

/// Puts NaN where `needed(outer row, column of the product)` says no.
template <Element T, class Needed>
void poison(std::vector<T>& values, const Index& shape, const Patch& patch, Form form,
            const Needed& needed) {
  for (std::int64_t i = 0; i < shape[0]; ++i)
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      const std::int64_t x = i - patch.lo[0], y = j - patch.lo[1];
      const bool inside = x >= 0 && i < patch.hi[0] && y >= 0 && j < patch.hi[1];
      if (inside && (turns(form) ? needed(y, x) : needed(x, y))) continue;
      values[static_cast<std::size_t>(i * shape[1] + j)] =
          static_cast<T>(std::numeric_limits<double>::quiet_NaN());
    }
}

/// Distinct blocks in a list of blocks of positions.
std::int64_t distinct(const std::vector<std::int64_t>& blocks) {
  return std::ssize(std::set<std::int64_t>(blocks.begin(), blocks.end()));
}

void check_count(const Case& product, const BlockMatmulCount& count) {
  const std::set<std::int64_t> rows(product.rows.begin(), product.rows.end()),
      columns(product.columns.begin(), product.columns.end()),
      inner(product.inner.begin(), product.inner.end());
  std::int64_t kept = 0;
  for (const std::int64_t i : rows)
    for (const std::int64_t j : columns)
      for (const std::int64_t l : inner) kept += product.keeps(i, j, l) ? 1 : 0;
  EXPECT_EQ(count.multiplied, kept);
  EXPECT_EQ(count.pairs,
            distinct(product.rows) * distinct(product.columns) * distinct(product.inner));
  if (kept == 0) {
    EXPECT_EQ(count.fetched_bytes, 0);
  }
}

template <Element T>
void check_random_block_product(Random& random) {
  const Case p(random);
  const auto form = [&] { return static_cast<Form>(random.between(0, 3)); };
  const Form form_a = form(), form_b = form();
  const auto [shape_a, patch_a] = around(random, turns(form_a) ? Index{p.k, p.m} : Index{p.m, p.k});
  const auto [shape_b, patch_b] = around(random, turns(form_b) ? Index{p.n, p.k} : Index{p.k, p.n});
  std::vector<T> values_a = random_matrix<T>(random, shape_a);
  std::vector<T> values_b = random_matrix<T>(random, shape_b);
  const std::vector<T> values_c = random_matrix<T>(random, {p.m, p.n});
  poison(values_a, shape_a, patch_a, form_a, [&](auto i, auto l) { return p.needs_a(i, l); });
  poison(values_b, shape_b, patch_b, form_b, [&](auto l, auto j) { return p.needs_b(l, j); });
  const T alpha = scalar_value<T>(random), beta = scalar_value<T>(random);
  const auto make = [&](const Index& shape, const std::vector<T>& values, const char* name,
                        bool may_mirror) {
    ArrayOptions options{.name = name};
    options.mirrored = may_mirror && random.chance(0.15);
    if (!options.mirrored && shape.product() > 0)
      options.layout = random_layout(random, shape, world().size());
    Array<T> array(world(), shape, options);
    if (array.group().rank() == 0 && !values.empty()) array.put(whole(shape), values.data());
    return array;
  };
  const Array<T> a = make(shape_a, values_a, "a", true), b = make(shape_b, values_b, "b", true);
  Array<T> c = make({p.m, p.n}, values_c, "c", false);
  if (beta == T(0)) fill(c, std::numeric_limits<double>::quiet_NaN());  // must not count
  MatmulOptions options;
  if (random.chance(0.3)) options.memory = static_cast<std::size_t>(random.between(1, 100'000));
  options.prefetch = random.chance(0.7);
  options.shift = random.chance(0.7);
  const BlockMatmulCount count = block_matmul(
      alpha, {a, patch_a, form_a}, {b, patch_b, form_b}, beta, c, p.cuts,
      [&](std::int64_t i, std::int64_t j, std::int64_t l) { return p.keeps(i, j, l); }, options);
  check_count(p, count);

  std::vector<T> result(values_c.size());
  if (!result.empty()) c.get(whole(c.shape()), result.data());
  const double unit =
      std::numeric_limits<decltype(std::abs(T()))>::epsilon() * (is_complex(c.type()) ? 4 : 1);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
      const auto at = static_cast<std::size_t>(i * p.n + j);
      Wide<T> sum{};
      double scale = 0;
      for (std::int64_t q = 0; q < p.k; ++q) {
        if (!p.keeps(p.rows[row], p.columns[column], p.inner[static_cast<std::size_t>(q)]))
          continue;
        const Wide<T> x = element_of(values_a, shape_a, patch_a, form_a, i, q);
        const Wide<T> y = element_of(values_b, shape_b, patch_b, form_b, q, j);
        sum += x * y;
        scale += std::abs(x) * std::abs(y);
      }
      const auto old = static_cast<Wide<T>>(values_c[at]);
      const Wide<T> expected = static_cast<Wide<T>>(alpha) * sum + static_cast<Wide<T>>(beta) * old;
      scale = scale * std::abs(alpha) * static_cast<double>(p.k + 2) +
              2 * std::abs(beta) * std::abs(old);
      const double error = std::abs(static_cast<Wide<T>>(result[at]) - expected);
      if (!(error <= 2 * unit * scale)) {
        ADD_FAILURE() << "m " << p.m << ", n " << p.n << ", k " << p.k << ", forms "
                      << static_cast<int>(form_a) << ' ' << static_cast<int>(form_b) << ", a "
                      << a.distribution().to_string() << ", b " << b.distribution().to_string()
                      << ", c " << c.distribution().to_string() << ", element " << i << ", " << j
                      << ": " << result[at] << ", expected " << expected;
        i = p.m;
        break;
      }
    }
  world().barrier();
}

template <class T>
class BlockMatmulTyped : public testing::Test {};
TYPED_TEST_SUITE(BlockMatmulTyped, BlasTypes);

TYPED_TEST(BlockMatmulTyped, RandomProductsAreThoseOfASerialLoop) {
  const char* const asked = std::getenv("TEST_RANDOM_PRODUCTS");
  const std::int64_t cases = asked != nullptr ? std::atoll(asked) : 25;
  for (std::int64_t seed = 0; seed < cases && everywhere(!testing::Test::HasFailure()); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 2000 * sizeof(TypeParam));
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_random_block_product<TypeParam>(random);
  }
}

/// Elements of [0, extent) in both the rank's range and the block.
std::int64_t overlap(std::int64_t lo, std::int64_t hi, std::int64_t block, std::int64_t size) {
  return std::max<std::int64_t>(0, std::min(hi, (block + 1) * size) - std::max(lo, block * size));
}

TEST(BlockMatmul, OnlyBlocksOfKeptPairsAreFetchedAndEachOnce) {
  // Tiles are never used where they lie, so that every block needed is fetched and counted.
  constexpr std::int64_t n = 96, block = 8, blocks = n / block;
  const ArrayOptions tiled{.layout = Layout::tiled({16, 16})};
  Array<double> a(world(), {n, n}, tiled), b(world(), {n, n}, tiled), c(world(), {n, n});
  fill(a, 1);
  fill(b, 1);
  const BlockCuts cuts{even_cuts(n, block), even_cuts(n, block), even_cuts(n, block)};
  const auto keeps = [](std::int64_t i, std::int64_t j, std::int64_t l) {
    return std::abs(i - l) <= 1 && std::abs(j - l) <= 2 && l != 4;
  };
  std::int64_t expected = 0;
  for (int rank = 0; rank < world().size(); ++rank)
    for (const Patch& mine : c.patches(rank))
      for (std::int64_t l = 0; l < blocks; ++l) {
        std::set<std::int64_t> rows, columns;
        for (std::int64_t i = 0; i < blocks; ++i)
          for (std::int64_t j = 0; j < blocks; ++j)
            if (keeps(i, j, l) && overlap(mine.lo[0], mine.hi[0], i, block) > 0 &&
                overlap(mine.lo[1], mine.hi[1], j, block) > 0) {
              rows.insert(i);
              columns.insert(j);
            }
        for (const std::int64_t i : rows)
          expected += overlap(mine.lo[0], mine.hi[0], i, block) * block * 8;
        for (const std::int64_t j : columns)
          expected += overlap(mine.lo[1], mine.hi[1], j, block) * block * 8;
      }
  EXPECT_EQ(block_matmul(1, a, b, 0, c, cuts, keeps).fetched_bytes, expected);
  EXPECT_LT(expected, world().size() * 2 * n * n * 8 / 2);
}

TEST(BlockMatmul, BlocksOnMyNodeAreUsedWhereTheyLie) {
  Array<double> a(world(), {50, 70}), b(world(), {70, 40}), c(world(), {50, 40});
  const BlockCuts cuts{even_cuts(50, 3), even_cuts(40, 4), even_cuts(70, 5)};
  const auto count = block_matmul(1, a, b, 0, c, cuts,
                                  [](auto i, auto j, auto l) { return (i + j + l) % 3 == 0; });
  if (world().nodes() == 1) {
    EXPECT_EQ(count.fetched_bytes, 0);
  }
  EXPECT_GT(count.multiplied, 0);
}

TEST(BlockMatmul, NothingCrossesTheNetworkForWhatIsSkipped) {
  constexpr std::int64_t n = 256, block = 32;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array<double> a(world(), {n, n}), b(world(), {n, n}), c(world(), {n, n});
  fill(a, nan);
  fill(b, nan);
  fill(c, 3);
  const BlockCuts cuts{even_cuts(n, block), even_cuts(n, block), even_cuts(n, block)};
  const WireCounter wire;
  const BlockMatmulCount none =
      block_matmul(1, a, b, 2, c, cuts, [](auto, auto, auto) { return false; });
  EXPECT_EQ(wire.sent(), 0);
  EXPECT_EQ(none.fetched_bytes, 0);
  EXPECT_EQ(none.multiplied, 0);
  EXPECT_EQ(none.pairs, 8 * 8 * 8);
  EXPECT_TRUE(holds(c, std::vector<double>(n * n, 6)));
}

TEST(BlockMatmul, AScreenThatKeepsAllGivesTheProductOfMatmul) {
  Array<double> a(world(), {70, 90}), b(world(), {90, 80}), c(world(), {70, 80});
  random_fill(a, 1);
  random_fill(b, 2);
  Array<double> expected = c.duplicate();
  matmul(1, a, b, 0, expected);
  const BlockCuts cuts{even_cuts(70, 9), even_cuts(80, 11), even_cuts(90, 7)};
  block_matmul(1, a, b, 0, c, cuts, [](auto, auto, auto) { return true; });
  add(1, c, -1, expected, c);
  EXPECT_LT(norm(c, Norm::infinity), 1e-11);
}

TEST(BlockMatmul, AThresholdKeepsWhatExceedsItAndNaN) {
  constexpr std::int64_t n = 40, block = 10;
  Array<double> a(world(), {n, n}), b(world(), {n, n}), c(world(), {n, n});
  fill({a, {{0, 0}, {10, 10}, {}}}, 1);  // norm 10
  fill({a, {{20, 30}, {30, 40}, {}}}, 1e-3);
  fill({b, {{0, 0}, {10, 40}, {}}}, 1);
  fill({b, {{30, 0}, {40, 10}, {}}}, 1);
  const BlockCuts cuts{even_cuts(n, block), even_cuts(n, block), even_cuts(n, block)};
  EXPECT_EQ(block_matmul(1, a, b, 0, c, cuts, 0.0).multiplied, 5);
  EXPECT_EQ(sum(c).as<double>(), 10 * 10 * 40 + 10 * 10 * 10 * 1e-3);
  EXPECT_EQ(block_matmul(1, a, b, 0, c, cuts, 1.0).multiplied, 4);
  EXPECT_EQ(sum(c).as<double>(), 10 * 10 * 40);
  EXPECT_EQ(block_matmul(1, a, b, 0, c, cuts, 100.0).multiplied, 0);
  fill({a, {{35, 5}, {36, 6}, {}}}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(block_matmul(1, a, b, 0, c, cuts, 1e300).multiplied, 4);
}

TEST(BlockMatmul, NormsAreThoseOfTheBlocksInTheirForm) {
  for (const Layout& layout : sample_layouts({30, 25}, world().size())) {
    Array<std::complex<float>> a(world(), {30, 25}, {.layout = layout});
    random_fill(a, 5);
    std::vector<std::complex<float>> values(30 * 25);
    a.get(whole(a.shape()), values.data());
    const Cuts rows{0, 4, 4, 17}, columns{0, 11};
    const Patch patch{{3, 2}, {23, 22}, {}};
    for (const Form form : {Form::plain, Form::adjoint}) {
      const std::vector<double> norms = block_norms({a, patch, form}, rows, columns);
      ASSERT_EQ(norms.size(), 8U);
      const auto row_block = blocks_of(rows, 20), column_block = blocks_of(columns, 20);
      std::vector<double> squares(8);
      for (std::int64_t i = 0; i < 20; ++i)
        for (std::int64_t j = 0; j < 20; ++j)
          squares[static_cast<std::size_t>(row_block[static_cast<std::size_t>(i)] * 2 +
                                           column_block[static_cast<std::size_t>(j)])] +=
              std::norm(element_of(values, a.shape(), patch, form, i, j));
      for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(norms[i], std::sqrt(squares[i]), 1e-13);
    }
    world().sync();
  }
}

TEST(BlockMatmul, NormsNeitherOverflowNorVanish) {
  Array<double> a(world(), {6, 4});
  const Cuts rows{0, 2, 4}, columns{0};
  fill({a, {{0, 0}, {2, 4}, {}}}, 1e250);
  fill({a, {{2, 0}, {4, 4}, {}}}, 1e-250);
  const std::vector<double> norms = block_norms(a, rows, columns);
  EXPECT_NEAR(norms[0] / 1e250, std::sqrt(8), 1e-12);
  EXPECT_NEAR(norms[1] / 1e-250, std::sqrt(8), 1e-12);
  EXPECT_EQ(norms[2], 0);
}

TEST(BlockMatmul, CallsThatCannotBeAreErrorsOnAllRanks) {
  Array<double> a(world(), {4, 5}), b(world(), {5, 6}), c(world(), {4, 6});
  const auto all = [](auto, auto, auto) { return true; };
  const BlockCuts good{{0, 2}, {0, 3}, {0, 1, 4}};
  const auto fails = [&](const BlockCuts& cuts, const char* text) {
    return all_throw_error(world(), [&] { block_matmul(1, a, b, 0, c, cuts, all); },
                           ErrorKind::value, {text});
  };
  EXPECT_TRUE(fails({{1, 2}, {0}, {0}}, "cuts.rows[0] is 1, expected 0"));
  EXPECT_TRUE(fails({{0}, {0, 3, 2}, {0}}, "cuts.columns[2] is 2, expected at least the 3"));
  EXPECT_TRUE(fails({{0}, {0}, {0, 9}}, "cuts.inner[1] is 9, expected at most the extent 5"));
  EXPECT_TRUE(fails({{0}, {0}, {}}, "cuts.inner is empty"));
  EXPECT_EQ(kind_of_failure([&] { block_matmul(1, b, a, 0, c, good, all); }), ErrorKind::value);
  EXPECT_EQ(kind_of_failure([&] { block_matmul(1, a, b, 0, c, good, BlockScreen()); }),
            ErrorKind::value);
  EXPECT_EQ(kind_of_failure([&] { block_matmul(1, a, b, 0, c, good, -1.0); }), ErrorKind::value);
  EXPECT_EQ(kind_of_failure([&] { block_norms(a, Cuts{0, 5}, Cuts{0}); }), ErrorKind::value);
  if (world().size() > 1) {
    const BlockCuts mine{{0, world().rank() % 2 + 1}, {0}, {0}};
    EXPECT_EQ(kind_of_failure([&] { block_matmul(1, a, b, 0, c, mine, all); }),
              ErrorKind::mismatch);
  }
}

TEST(BlockMatmul, AScreenThatThrowsOnOneRankEndsTheCallOnAll) {
  Array<double> a(world(), {40, 40}), b(world(), {40, 40}), c(world(), {40, 40});
  const BlockCuts cuts{even_cuts(40, 4), even_cuts(40, 4), even_cuts(40, 4)};
  const auto screen = [](std::int64_t i, std::int64_t j, std::int64_t l) -> bool {
    if (i == 0 && j == 0 && l == 7) throw std::out_of_range("mine");
    return true;
  };
  const bool asked = c.owner({0, 0}) == world().rank();
  try {
    block_matmul(1, a, b, 0, c, cuts, screen);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::out_of_range&) {
    EXPECT_TRUE(asked);
  } catch (const Error& error) {
    EXPECT_FALSE(asked);
    EXPECT_EQ(error.kind(), ErrorKind::state);
  }
  block_matmul(1, a, b, 0, c, cuts, 0.0);  // all is well again
}

}  // namespace
}  // namespace lagoon::atoll::test
