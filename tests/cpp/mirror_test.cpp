// Mirrored arrays: creation, inquiries, merges, copies. A serial loop over the nodes says what a
// merge must give.
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "mirror_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class MirrorTyped : public testing::Test {};
TYPED_TEST_SUITE(MirrorTyped, AllTypes);

TYPED_TEST(MirrorTyped, MergeSumsAllCopies) {
  using T = TypeParam;
  for (const Index& shape :
       {Index{3}, Index{70, 90}, Index{9, 40, 31}, Index{5000}, Index{1, 300}}) {
    Array<T> m(world(), shape, mirrored);
    put_shared(m, copy_of<T>(world().node(), shape));
    merge(m);
    std::vector<T> expected(static_cast<std::size_t>(shape.product()));
    for (int node = 0; node < world().nodes(); ++node)
      for (std::size_t i = 0; i < expected.size(); ++i)
        add_product(expected[i], T(1), value_of<T>(node, static_cast<std::int64_t>(i)));
    EXPECT_TRUE(holds(m, expected));
    world().barrier();
  }
}

TYPED_TEST(MirrorTyped, WhatAllNodesHaveWrittenAllOverIsMerged) {
  using T = TypeParam;
  const Index shape{601, 257};
  for (const Reduction reduction : {Reduction::sum, Reduction::product, Reduction::maximum}) {
    Array<T> m(world(), shape, mirrored);
    if (is_complex(m.type()) && reduction == Reduction::maximum) continue;
    const Patch patch{{100, 0}, {513, 257}, {}};
    for (int turn = 0; turn < 2; ++turn) {  // then a patch
      put_shared(m, copy_of<T>(world().node(), shape));
      turn == 0 ? merge(m, reduction) : merge(m, patch, reduction);
      std::vector<T> expected(static_cast<std::size_t>(shape.product()));
      for_each_position(shape, [&](const Index& at, std::int64_t i) {
        const bool merged = turn == 0 || (at[0] >= 100 && at[0] < 513);
        expected[static_cast<std::size_t>(i)] =
            !merged ? value_of<T>(world().node(), i)
                    : combined(
                          0, world().nodes(), [&](int node) { return value_of<T>(node, i); },
                          [&](T one, T other) -> T {
                            if constexpr (!is_complex(element_type_of<T>()))
                              if (reduction == Reduction::maximum) return std::max(one, other);
                            return static_cast<T>(reduction == Reduction::sum ? one + other
                                                                              : one * other);
                          });
      });
      EXPECT_TRUE(holds(m, expected)) << static_cast<int>(reduction) << " " << turn;
      world().barrier();
    }
  }
}

TYPED_TEST(MirrorTyped, MergeTakesTheLeastTheGreatestAndTheProduct) {
  using T = TypeParam;
  const Index shape{45, 67};
  // The node with this number writes this band only, elsewhere its copy is zero.
  const auto band = [&](int node) {
    Patch patch = whole(shape);
    patch.lo[0] = node * 3;
    return patch;
  };
  for (const Reduction reduction : {Reduction::minimum, Reduction::maximum, Reduction::product}) {
    Array<T> m(world(), shape, mirrored);
    put_shared(m, band(world().node()), copy_of<T>(world().node(), shape));
    if (is_complex(m.type()) && reduction != Reduction::product) {
      EXPECT_TRUE(all_throw_error(world(), [&] { merge(m, reduction); }, ErrorKind::type,
                                  {"merge", "complex"}));
      continue;
    }
    merge(m, reduction);
    std::vector<T> expected(static_cast<std::size_t>(shape.product()));
    for_each_position(shape, [&](const Index& at, std::int64_t i) {
      expected[static_cast<std::size_t>(i)] = combined(
          0, world().nodes(),
          [&](int node) { return at[0] >= node * 3 ? value_of<T>(node, i) : T(); },
          [&](T one, T other) {
            if constexpr (!is_complex(element_type_of<T>()))
              if (reduction != Reduction::product)
                return reduction == Reduction::minimum ? std::min(one, other)
                                                       : std::max(one, other);
            return static_cast<T>(one * other);
          });
    });
    EXPECT_TRUE(holds(m, expected));
    world().barrier();
  }
}

TEST(Mirror, InquiriesAnswerForMyNodesCopy) {
  Array<double> m(world(), {64, 32}, mirrored);
  EXPECT_TRUE(m.mirrored());
  EXPECT_TRUE(m.whole_group() == world());
  EXPECT_EQ(m.group().size(), static_cast<int>(world().node_ranks().size()));
  EXPECT_EQ(m.group().nodes(), 1);
  EXPECT_EQ(m.distribution().ranks(), m.group().size());
  std::int64_t covered = 0;
  for (const OwnedPatch& part : m.locate(whole(m.shape()))) covered += part.patch.elements();
  EXPECT_EQ(covered, 64 * 32);
  EXPECT_EQ(m.patches(m.group().rank()).size(), 1U);
  // Bands of rows, as even as can be.
  EXPECT_EQ(m.distribution().grid(), (Index{m.group().size(), 1}));
  Array<double> ordinary(world(), {4});
  EXPECT_FALSE(ordinary.mirrored());
  EXPECT_TRUE(ordinary.whole_group() == world());
  Array<double> twin = m.duplicate();
  EXPECT_TRUE(twin.mirrored());
  EXPECT_EQ(twin.distribution(), m.distribution());
}

TEST(Mirror, BadArgumentsThrowOnAllRanks) {
  Array<double> m(world(), {8, 8}, mirrored);
  Array<double> d(world(), {8, 8}, {.name = "d"});
  Array<float> f(world(), {8, 8}, {.name = "f"});
  const Patch stepped{{0, 0}, {8, 8}, {2, 1}};
  EXPECT_TRUE(all_throw_error(world(), [&] { merge(d); }, ErrorKind::value, {"merge", "'d'"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { publish(d); }, ErrorKind::value, {"not mirrored"}));
  EXPECT_TRUE(
      all_throw_error(world(), [&] { merge(m, stepped); }, ErrorKind::value, {"merge", "steps"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { merge(m, Patch{{0, 0}, {9, 8}, {}}); },
                              ErrorKind::index, {"[0:9, 0:8]"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { merge_into(m, f); }, ErrorKind::type,
                              {"merge_into", "float32"}));
  EXPECT_TRUE(all_throw_error(world(), [&] { merge_into(m, m); }, ErrorKind::value, {"'m'"}));
  EXPECT_TRUE(all_throw_error(world(),
                              [&] { merge_into(m, {{0, 0}, {2, 2}, {}}, d, {{0, 0}, {2, 3}, {}}); },
                              ErrorKind::value, {"[0:2, 0:3]"}));
  EXPECT_TRUE(all_throw_error(world(),
                              [&] {
                                AnyArray bad(
                                    world(), {4}, ElementType::float64,
                                    {.layout = Layout::block_cyclic({0}), .mirrored = true});
                              },
                              ErrorKind::value, {"block"}));
  // Blocks for more ranks than any node has.
  std::vector<std::int64_t> starts(static_cast<std::size_t>(world().size()) + 1);
  std::iota(starts.begin(), starts.end(), 0);
  EXPECT_TRUE(all_throw_error(world(),
                              [&] {
                                AnyArray bad(
                                    world(), {100}, ElementType::float64,
                                    {.layout = Layout::irregular({starts}), .mirrored = true});
                              },
                              ErrorKind::value, {"irregular"}));
  EXPECT_TRUE(all_throw_error(world(),
                              [&] {
                                AnyArray bad(world(), {std::int64_t{1} << 50}, ElementType::float64,
                                             {.mirrored = true});
                              },
                              ErrorKind::memory, {"create array"}));
  // One rank alone is wrong: everybody learns of it.
  const Patch odd = world().rank() == 0 ? Patch{{0, 0}, {9, 8}, {}} : whole(m.shape());
  EXPECT_TRUE(all_throw_error(world(), [&] { merge(m, odd); }, ErrorKind::index, {"merge"}));
  // And the array still works.
  fill(m, 1);
  merge(m);
  EXPECT_TRUE(holds(m, std::vector<double>(64, world().nodes())));
  world().barrier();
}

TEST(Mirror, RanksThatCallDifferentMergesAreToldSo) {
  if (world().size() == 1) GTEST_SKIP() << "needs two ranks";
  Array<double> m(world(), {8, 8}, mirrored);
  EXPECT_TRUE(all_throw_error(
      world(), [&] { world().rank() == 0 ? merge(m) : publish(m); }, ErrorKind::mismatch));
  EXPECT_TRUE(all_throw_error(
      world(), [&] { merge(m, world().rank() == 0 ? Reduction::sum : Reduction::maximum); },
      ErrorKind::mismatch, {"merge"}));
  EXPECT_TRUE(all_throw_error(
      world(),
      [&] { AnyArray a(world(), {4}, ElementType::int32, {.mirrored = world().rank() == 0}); },
      ErrorKind::mismatch, {"create array"}));
  merge(m);
  EXPECT_TRUE(holds(m, std::vector<double>(64)));
  world().barrier();
}

TEST(Mirror, CountersSayWhyNot) {
  Array<std::int64_t> m(world(), {4}, mirrored);
  EXPECT_TRUE(throws_error([&] { m.fetch_add({0}, 1); }, ErrorKind::unsupported,
                           {"fetch_add", "'m'", "every node"}));
  EXPECT_TRUE(throws_error([&] { m.swap({0}, 1); }, ErrorKind::unsupported, {"swap"}));
}

TEST(Mirror, ReductionsAndElementwiseCallsStayOnTheNode) {
  const Index shape{20, 30};
  Array<double> a(world(), shape, mirrored), b(world(), shape, mirrored);
  const double mine = world().node() + 1;
  // No node waits for another: each does it another number of times.
  for (int turn = 0; turn <= world().node(); ++turn) {
    fill(a, mine);
    fill(b, 2);
    add(1, a, 3, b, b);
    scale(b, 2);
    EXPECT_EQ(sum(b).as<double>(), 600 * 2 * (mine + 6));
    EXPECT_EQ(dot(a, b).as<double>(), 600 * mine * 2 * (mine + 6));
    EXPECT_EQ(maximum_element(a).value.as<double>(), mine);
  }
  merge(b);
  double expected = 0;
  for (int node = 0; node < world().nodes(); ++node) expected += 2 * (node + 1 + 6);
  EXPECT_TRUE(holds(b, std::vector<double>(600, expected)));
  world().barrier();
}

TEST(Mirror, MergeOfAPatchLeavesTheRestAlone) {
  const Index shape{100, 80};
  Array<double> m(world(), shape, mirrored);
  put_shared(m, copy_of<double>(world().node(), shape));
  const Patch patch{{13, 5}, {77, 71}, {}};
  merge(m, patch);
  std::vector<double> expected = copy_of<double>(world().node(), shape);
  for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
    const std::int64_t i = linear_index(array_position(patch, position), shape);
    double& total = expected[static_cast<std::size_t>(i)];
    total = 0;
    for (int node = 0; node < world().nodes(); ++node) total += value_of<double>(node, i);
  });
  EXPECT_TRUE(holds(m, expected));
  merge(m, Patch{{4, 4}, {4, 9}, {}});  // empty
  EXPECT_TRUE(holds(m, expected));
  world().barrier();
}

TEST(Mirror, SumsAreTakenInTheOrderOfTheNodes) {
  // Sums of these depend on the order.
  const Index shape{257, 33};
  const auto value = [](int node, std::int64_t i) {
    return std::pow(-1.0, node + 1) * std::exp(static_cast<double>((i * 13 + node * 7) % 40));
  };
  Array<double> m(world(), shape, mirrored);
  std::vector<double> mine(static_cast<std::size_t>(shape.product())), expected(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto linear = static_cast<std::int64_t>(i);
    mine[i] = value(world().node(), linear);
    expected[i] = sum_of_nodes([&](int node) { return value(node, linear); });
  }
  for (int turn = 0; turn < 3; ++turn) {
    put_shared(m, mine);
    merge(m);
    EXPECT_TRUE(holds(m, expected));
    world().barrier();
  }
}

TEST(Mirror, ACombinationOfOnesOwnSeesEveryNodeOnceInOrder) {
  const Index shape{40, 50};
  const Combination digits(
      Combination::Function([](void* into, const void* next, std::int64_t elements) {
        auto* x = static_cast<std::int64_t*>(into);
        const auto* y = static_cast<const std::int64_t*>(next);
        for (std::int64_t i = 0; i < elements; ++i) x[i] = x[i] * 10 + y[i];
      }));
  Array<std::int64_t> m(world(), shape, mirrored);
  // The last node leaves its copy zero.
  if (world().node() + 1 < world().nodes()) fill(m, world().node() + 1);
  merge(m, digits);
  std::int64_t expected = 0;
  for (int node = 0; node < world().nodes(); ++node)
    expected = expected * 10 + (node + 1 < world().nodes() ? node + 1 : 0);
  if (world().nodes() == 1) expected = 0;
  EXPECT_TRUE(holds(m, std::vector<std::int64_t>(2000, expected)));
  // From zeros to something else: also where nobody has written.
  const Combination counting(
      Combination::Function([](void* into, const void*, std::int64_t elements) {
        auto* x = static_cast<std::int64_t*>(into);
        for (std::int64_t i = 0; i < elements; ++i) ++x[i];
      }));
  Array<std::int64_t> fresh(world(), shape, mirrored);
  merge(fresh, counting);
  EXPECT_TRUE(holds(fresh, std::vector<std::int64_t>(2000, world().nodes() - 1)));
  world().barrier();
}

TEST(Mirror, ACombinationThatThrowsDoesSoInWait) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
  const Combination thrower(Combination::Function([](void*, const void*, std::int64_t elements) {
    if (elements > 1) throw Error(ErrorKind::value, "no");
  }));
  Array<double> m(world(), {64, 64}, mirrored);
  fill(m, 1);
  bool thrown = false;
  try {
    merge(m, thrower);
  } catch (const Error&) {
    thrown = true;
  }
  EXPECT_TRUE(world().reduce<std::int32_t>(thrown ? 1 : 0, Reduction::maximum) == 1);
  fill(m, 1);
  merge(m);
  EXPECT_TRUE(holds(m, std::vector<double>(64 * 64, world().nodes())));
  world().barrier();
}

TEST(Mirror, LongAndShortContributionsMeet) {
  // Node 0 writes all of 720 KiB, the others a corner: theirs would be a small merge, node 0's not.
  const Index shape{300, 300};
  const Patch corner{{0, 0}, {40, 1}, {}};
  for (const Reduction reduction : {Reduction::sum, Reduction::minimum, Reduction::product}) {
    Array<double> m(world(), shape, mirrored);
    if (world().node() == 0)
      fill(m, 2);
    else
      fill({m, corner}, -3);
    merge(m, reduction);
    const int n = world().nodes();
    std::vector<double> expected(90000, reduction == Reduction::sum || n == 1 ? 2 : 0);
    for (std::size_t row = 0; row < 40 && n > 1; ++row)
      expected[row * 300] = reduction == Reduction::sum       ? 2 - 3 * (n - 1)
                            : reduction == Reduction::minimum ? -3
                                                              : 2 * std::pow(-3, n - 1);
    EXPECT_TRUE(holds(m, expected)) << static_cast<int>(reduction);
  }
}

TEST(Mirror, MergesSmallAndLargeCombinePairwiseInTheOrderOfTheNodes) {
  // Rounding tells the orders apart.
  const auto part = [](int node) { return node % 3 == 1 ? 1e16 : node % 3 == 2 ? -1e16 : 0.1; };
  const double sum = sum_of_nodes(part);
  for (const Index& shape : {Index{5, 7}, Index{400, 300}}) {
    Array<double> m(world(), shape, mirrored);
    fill(m, part(world().node()));
    merge(m);
    EXPECT_TRUE(holds(m, std::vector<double>(static_cast<std::size_t>(m.elements()), sum)));
  }
}

TEST(Mirror, AMergeUnderWayEndsWhateverHappensToItsHandle) {
  const Index shape{300, 100};
  Array<double> m(world(), shape, mirrored), other(world(), {5}, mirrored);
  const std::vector<double> nodes_of(30000, world().nodes());
  fill(m, 1);
  PendingMerge pending = merge_begin(m);
  fill(other, 1);  // meanwhile
  merge(other);
  EXPECT_TRUE(holds(other, std::vector<double>(5, world().nodes())));
  pending.wait();
  pending.wait();
  EXPECT_TRUE(pending.test());
  EXPECT_TRUE(holds(m, nodes_of));
  m.group().barrier();

  fill(m, 1);
  {
    PendingMerge dropped = merge_begin(m);
  }
  EXPECT_TRUE(holds(m, nodes_of));
  m.group().barrier();

  fill(m, 1);
  PendingMerge first = merge_begin(m);
  merge(m);  // waits for the first one
  std::vector<double> squared(30000, world().nodes() * world().nodes());
  if (world().nodes() == 1) squared = nodes_of;
  EXPECT_TRUE(holds(m, squared));
  first.wait();
  world().barrier();

  // Many at once, more than there are tags for.
  std::vector<Array<double>> many;
  std::vector<PendingMerge> handles;
  for (int i = 0; i < 12; ++i) {
    many.emplace_back(world(), Index{40, 40}, mirrored);
    fill(many.back(), i);
    handles.push_back(merge_begin(many.back()));
  }
  while (!handles.back().test()) {
  }
  for (PendingMerge& handle : handles) handle.wait();
  for (int i = 0; i < 12; ++i)
    EXPECT_TRUE(
        holds(many[static_cast<std::size_t>(i)], std::vector<double>(1600, i * world().nodes())));
  fill(m, 2);
  PendingMerge last = merge_begin(m);
  m.destroy();  // waits
  last.wait();
}

TEST(Mirror, CopiesGoBothWaysAndBetweenPatches) {
  const Index shape{61, 47};
  const std::vector<double> contents = copy_of<double>(3, shape);
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<double> d(world(), shape, {.layout = layout, .name = "d"});
    if (world().rank() == 0) d.put(whole(shape), contents.data());
    Array<double> m = mirror(d);  // sees what was put
    EXPECT_TRUE(m.mirrored());
    EXPECT_TRUE(holds(m, contents));
    publish(m);  // all alike: no conflict
    Array<double> back(world(), shape, {.layout = layout});
    copy(m, back);
    EXPECT_TRUE(holds(back, contents));
    // Patches, transposed, another type.
    Array<std::complex<double>> c(world(), {50, 64}, {.layout = {}, .mirrored = true});
    const Patch from{{2, 3}, {40, 44}, {}}, to{{5, 1}, {46, 39}, {}};
    copy({d, from, Form::transposed}, {c, to});
    std::vector<std::complex<double>> turned(50 * 64);
    for_each_position(from.shape(), [&](const Index& p, std::int64_t) {
      turned[static_cast<std::size_t>((5 + p[1]) * 64 + 1 + p[0])] =
          contents[static_cast<std::size_t>((2 + p[0]) * 47 + 3 + p[1])];
    });
    EXPECT_TRUE(holds(c, turned));
    Array<std::complex<double>> e(world(), {50, 64}, {.mirrored = true});
    copy(c, e);
    EXPECT_TRUE(holds(e, turned));
    merge(e);
    for (auto& x : turned) x *= world().nodes();
    EXPECT_TRUE(holds(e, turned));
    world().barrier();
  }
}

TEST(Mirror, MergeIntoADistributedArrayLeavesTheCopies) {
  const Index shape{61, 47};
  for (const Layout& layout : sample_layouts({70, 60}, world().size())) {
    Array<double> m(world(), shape, mirrored);
    put_shared(m, {{0, 0}, {40, 47}, {}}, copy_of<double>(world().node(), shape));
    Array<double> d(world(), {70, 60}, {.layout = layout});
    fill(d, -1);
    const Patch from{{7, 2}, {57, 45}, {}}, to{{11, 9}, {61, 52}, {}};
    merge_into(m, from, d, to);
    std::vector<double> expected(70 * 60, -1);
    for_each_position(from.shape(), [&](const Index& p, std::int64_t) {
      double& total = expected[static_cast<std::size_t>((11 + p[0]) * 60 + 9 + p[1])];
      total = 0;
      for (int node = 0; node < world().nodes() && p[0] + 7 < 40; ++node)
        total += value_of<double>(node, (7 + p[0]) * 47 + 2 + p[1]);
    });
    EXPECT_TRUE(holds(d, expected));
    std::vector<double> mine = copy_of<double>(world().node(), shape);
    std::fill(mine.begin() + 40 * 47, mine.end(), 0.0);
    EXPECT_TRUE(holds(m, mine));
    world().barrier();
  }
}

TEST(Mirror, EmptyAndTinyArraysWork) {
  for (const Index& shape : {Index{0}, Index{3, 0, 2}, Index{1}, Index{1, 1, 1}, Index{2, 1}}) {
    Array<double> m(world(), shape, mirrored);
    fill(m, 1);
    merge(m);
    EXPECT_TRUE(
        holds(m, std::vector<double>(static_cast<std::size_t>(shape.product()), world().nodes())));
    publish(m);
    (void)m.local();
    merge(m);
    Array<double> d(world(), shape);
    copy(m, d);
    merge_into(m, d);
    world().barrier();
  }
}

TEST(Mirror, GroupsOfSomeRanksHaveMirrorsOfTheirOwn) {
  const Group odd = world().split(world().rank() % 2, -world().rank());
  Array<double> m(odd, {30, 30}, mirrored);
  fill(m, 1);
  merge(m);
  EXPECT_TRUE(holds(m, std::vector<double>(900, odd.nodes())));
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
