// What products send, counted: what the chosen parts must fetch and add on other nodes, and at most
// a twentieth more.
#include "algebra/matrices/matmul_plan.hpp"
#include "algebra_support.hpp"
#include "atoll/matmul.hpp"
#include "atoll/mirror.hpp"
#include "wire_counter.hpp"

namespace lagoon::atoll::test {
namespace {

class MatmulWire : public testing::Test {
 protected:
  void SetUp() override {
    if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
    if (mode_is("ATOLL_PROGRESS", "rank")) GTEST_SKIP() << "what progress ranks send is not seen";
    if (mode_is("ATOLL_TRANSPORT", "rma")) GTEST_SKIP() << "gets by RMA are no messages";
  }
};

/// Elements of these rows and columns that lie on other nodes than a rank's.
std::int64_t far_elements(const AnyArray& a, const detail::Extents& rows,
                          const detail::Extents& columns, int rank) {
  std::int64_t far = 0;
  for (const detail::Extent& r : rows)
    for (const detail::Extent& c : columns)
      for (const OwnedPatch& owned : a.locate(Patch{{r.first, c.first}, {r.last, c.last}, {}}))
        if (world().node_of(owned.rank) != world().node_of(rank)) far += owned.patch.elements();
  return far;
}

struct Traffic {
  std::int64_t must, sent;
  bool by_owners;
};

Traffic traffic(std::int64_t m, std::int64_t n, std::int64_t k) {
  const Array<double> a(world(), {m, k}), b(world(), {k, n});
  Array<double> c(world(), {m, n});
  const detail::FactorView left({a}, true), right({b}, false);
  const detail::MatmulPlan plan(left, right, c, whole(c.shape()));
  std::int64_t must = 0;
  for (int rank = 0; rank < world().size(); ++rank) {
    const detail::MatmulPart part = plan.part(rank);
    if (part.empty()) continue;
    must +=
        far_elements(a, part.rows, {part.k}, rank) + far_elements(b, {part.k}, part.columns, rank);
    if (!plan.by_owners()) must += far_elements(c, part.rows, part.columns, rank);
  }
  world().sync();
  WireCounter counter;
  matmul(1, a, b, 0, c);
  return {must * 8, counter.sent(), plan.by_owners()};
}

TEST_F(MatmulWire, OwnersFetchWhatTheyLackOnce) {
  const Traffic t = traffic(720, 720, 720);
  EXPECT_TRUE(t.by_owners);
  EXPECT_GE(t.sent, t.must);
  EXPECT_LE(static_cast<double>(t.sent), 1.05 * static_cast<double>(t.must));
}

TEST_F(MatmulWire, SharesOfALongProductAreAddedOnce) {
  const Traffic t = traffic(96, 96, 20000);
  EXPECT_FALSE(t.by_owners);
  EXPECT_GE(t.sent, t.must);
  EXPECT_LE(static_cast<double>(t.sent), 1.05 * static_cast<double>(t.must));
}

TEST_F(MatmulWire, MirroredOperandsNeedNoMessageBeforeTheMerge) {
  constexpr std::int64_t m = 60, n = 50, k = 170;
  // Whole numbers: sums in any order are the same.
  const auto left = [](std::int64_t i, std::int64_t l) {
    return static_cast<double>((i + 3 * l) % 7);
  };
  const auto right = [](std::int64_t l, std::int64_t j) {
    return static_cast<double>((2 * l + j) % 5);
  };
  Array<double> x(world(), {m, k}), y(world(), {k, n}), c(world(), {m, n}, {.mirrored = true});
  std::vector<double> values;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t l = 0; l < k; ++l) values.push_back(left(i, l));
  store(x, values);
  values.clear();
  for (std::int64_t l = 0; l < k; ++l)
    for (std::int64_t j = 0; j < n; ++j) values.push_back(right(l, j));
  store(y, values);
  const AnyArray a = mirror(x), b = mirror(y);
  // Every node takes its share of k.
  const std::int64_t first = k * world().node() / world().nodes(),
                     last = k * (world().node() + 1) / world().nodes();
  world().sync();
  {
    WireCounter counter;
    matmul(1, {a, Patch{{0, first}, {m, last}, {}}}, {b, Patch{{first, 0}, {last, n}, {}}}, 0, c);
    EXPECT_EQ(counter.sent(), 0);
  }
  merge(c);
  std::vector<double> got(static_cast<std::size_t>(m * n));
  c.get(whole({m, n}), got.data());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += left(i, l) * right(l, j);
      EXPECT_EQ(got[static_cast<std::size_t>(i * n + j)], sum) << i << ", " << j;
    }
  world().barrier();
}

TEST_F(MatmulWire, VectorsComeAndGoOnceHoweverManyBlocksAMatrixHas) {
  constexpr std::int64_t n = 1200;
  Array<double> a(world(), {n, n}, {.layout = Layout::block_cyclic({20, 20})});
  Array<double> x(world(), {n}), y(world(), {n});
  fill(a, 1);
  fill(x, 2);
  world().sync();
  WireCounter counter;
  matvec(1, a, x, 0, y);
  // Requests have heads; a rank has 3600 blocks divided by the number of ranks.
  EXPECT_LE(counter.sent(), 2 * std::int64_t{world().size()} * 2 * n * 8);
  EXPECT_EQ(minimum_element(y).value.as<double>(), 2 * n);
  EXPECT_EQ(maximum_element(y).value.as<double>(), 2 * n);
}

}  // namespace
}  // namespace lagoon::atoll::test
