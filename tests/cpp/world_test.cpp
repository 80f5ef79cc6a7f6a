// World: what it says of itself, its nodes, and its collectives of plain data.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/face.hpp"
#include "support.hpp"
#include "world/topology.hpp"

namespace lagoon::atoll::test {
namespace {

int requested_nodes() {
  const char* text = std::getenv("ATOLL_NODES");
  return text == nullptr ? 1 : std::atoi(text);
}

/// Ranks that the settings set aside to serve, on all nodes.
int progress_ranks() {
  const char* mode = std::getenv("ATOLL_PROGRESS");
  if (mode == nullptr || std::string(mode) != "rank") return 0;
  const char* text = std::getenv("ATOLL_PROGRESS_RANKS");
  return world().nodes() * (text == nullptr ? 1 : std::atoi(text));
}

TEST(World, HasTheRanksOfMpiInTheirOrderLessThoseThatServe) {
  int rank = -1;
  int size = -1;
  mpi::comm_rank(mpi::comm_world, &rank);
  mpi::comm_size(mpi::comm_world, &size);
  size -= progress_ranks();
  EXPECT_EQ(world().size(), size);
  std::vector<int> numbers(static_cast<std::size_t>(size), -1);
  mpi::allgather(&rank, 1, mpi::type_int, numbers.data(), 1, mpi::type_int,
                 world().mpi_communicator());
  EXPECT_EQ(numbers[static_cast<std::size_t>(world().rank())], rank);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  if (progress_ranks() == 0) {
    EXPECT_EQ(world().rank(), rank);
  }
  for (int r = 0; r < size; ++r) {
    EXPECT_EQ(world().world_rank(r), r);
    EXPECT_EQ(world().rank_of_world(r), r);
  }
}

TEST(World, IsRunningAndCurrent) {
  EXPECT_TRUE(World::running());
  EXPECT_EQ(&World::current(), &world());
  EXPECT_TRUE(static_cast<bool>(world()));
}

TEST(World, ASecondOneIsRefusedWhileTheFirstRuns) {
  EXPECT_TRUE(all_throw_error(world(), [] { World second; }, ErrorKind::state));
  EXPECT_TRUE(World::running());
  EXPECT_EQ(world().reduce<std::int32_t>(1), world().size());
}

TEST(World, DescribesItselfLineByLine) {
  const std::string text = describe_world();
  EXPECT_NE(text.find(std::to_string(world().size())), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_NE(line.find(": "), std::string::npos) << "not \"name: value\": " << line;
}

/// By way of MPI alone: the ranks that are the first of their host.
int count_hosts() {
  mpi::Comm host = mpi::comm_null;
  mpi::comm_split_shared(world().mpi_communicator(), 0, &host);
  int rank = 0;
  mpi::comm_rank(host, &rank);
  mpi::comm_free(&host);
  return world().reduce<std::int32_t>(rank == 0 ? 1 : 0);
}

TEST(Topology, HasTheRequestedVirtualNodesOnEveryHost) {
  EXPECT_EQ(world().nodes(), requested_nodes() * count_hosts());
}

TEST(Topology, NodesAreNumberedByTheirFirstMember) {
  int seen = 0;
  for (int r = 0; r < world().size(); ++r) {
    const int node = world().node_of(r);
    ASSERT_LE(node, seen) << "rank " << r;
    if (node == seen) ++seen;
  }
  EXPECT_EQ(seen, world().nodes());
  EXPECT_EQ(world().node(), world().node_of(world().rank()));
}

TEST(Topology, NodeRanksAreThoseThatShareMyNode) {
  std::vector<int> expected;
  for (int r = 0; r < world().size(); ++r) {
    EXPECT_EQ(world().same_node(r), world().node_of(r) == world().node());
    if (world().same_node(r)) expected.push_back(r);
  }
  EXPECT_EQ(world().node_ranks(), expected);
  EXPECT_TRUE(world().same_node(world().rank()));
}

TEST(Topology, RanksOfANodeAreDealtOutToItsAgentsHoweverTheyAreNumbered) {
  // Two nodes whose ranks alternate, as launchers number them that go round the hosts.
  const auto nodes = detail::Topology::of({0, 1, 0, 1, 0, 1, 0, 1}, 5);
  EXPECT_EQ(nodes.place_of, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(nodes.local_rank, 2);
  EXPECT_EQ(nodes.node_ranks, (std::vector<std::int32_t>{1, 3, 5, 7}));
}

TEST(Topology, VirtualNodesDifferByOneRankAtMost) {
  std::vector<int> ranks(static_cast<std::size_t>(world().nodes()), 0);
  for (int r = 0; r < world().size(); ++r) ++ranks[static_cast<std::size_t>(world().node_of(r))];
  const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end());
  EXPECT_LE(*most - *least, 1);
  EXPECT_GE(*least, 1);
}

TEST(Barrier, HoldsEveryRankUntilTheLastArrives) {
  // Each round another rank comes late; it alone has raised the count by then.
  Array<std::int64_t> arrived(world(), {1});
  for (int late = 0; late < world().size(); ++late) {
    if (world().rank() == late) {
      const auto until = mpi::wtime() + 0.01;
      while (mpi::wtime() < until) {
      }
      arrived.fetch_add({0}, 1);
      world().fence();
    }
    world().barrier();
    std::int64_t count = 0;
    arrived.get(whole({1}), &count);
    EXPECT_EQ(count, late + 1);
    world().barrier();
  }
}

TEST(Broadcast, ReachesEveryRankFromEveryRoot) {
  for (int root = 0; root < world().size(); ++root)
    for (const std::size_t length : {0UL, 1UL, 7UL, 1000UL, 300'000UL}) {
      std::vector<double> data(length);
      if (world().rank() == root) std::iota(data.begin(), data.end(), root + 0.5);
      world().broadcast(std::span(data), root);
      for (std::size_t i = 0; i < length; i += 97)
        ASSERT_EQ(data[i], root + 0.5 + static_cast<double>(i)) << i << " of " << length;
    }
}

TEST(Broadcast, CarriesTextOfAnyLength) {
  for (const std::size_t length : {0UL, 1UL, 100'000UL}) {
    std::string text = "other text " + std::to_string(world().rank());
    const int root = world().size() - 1;
    if (world().rank() == root) text.assign(length, 'x');
    world().broadcast(text, root);
    EXPECT_EQ(text, std::string(length, 'x'));
  }
}

TEST(Broadcast, ABadRootIsAnErrorOnAllRanks) {
  for (const int root : {-1, world().size()}) {
    std::vector<int> data(3);
    EXPECT_TRUE(all_throw_error(world(), [&] { world().broadcast(std::span(data), root); },
                                ErrorKind::value, {std::to_string(root)}));
  }
}

template <class T>
class Reduce : public testing::Test {};
TYPED_TEST_SUITE(Reduce, AllTypes);

template <Element T>
T combined(Reduction op, int ranks, const std::function<T(int)>& value) {
  T result = value(0);
  for (int r = 1; r < ranks; ++r) {
    const T other = value(r);
    if (op == Reduction::sum) result = static_cast<T>(result + other);
    if (op == Reduction::product) result = static_cast<T>(result * other);
    if constexpr (!is_complex(element_type_of<T>())) {
      if (op == Reduction::minimum) result = std::min(result, other);
      if (op == Reduction::maximum) result = std::max(result, other);
    }
  }
  return result;
}

TYPED_TEST(Reduce, GivesEveryRankTheSerialResult) {
  using T = TypeParam;
  for (const Reduction op :
       {Reduction::sum, Reduction::product, Reduction::minimum, Reduction::maximum}) {
    if (op >= Reduction::minimum && is_complex(element_type_of<T>())) continue;
    for (const std::size_t length : {0UL, 1UL, 5UL, 1000UL, 100'003UL}) {
      const auto value = [](std::size_t i, int rank) {
        return number<T>((static_cast<std::int64_t>(i) * 7 + rank * 3) % 11 - 5);
      };
      std::vector<T> data(length);
      for (std::size_t i = 0; i < length; ++i) data[i] = value(i, world().rank());
      world().reduce(std::span(data), op);
      for (std::size_t i = 0; i < length; ++i)
        ASSERT_EQ(data[i], combined<T>(op, world().size(), [&](int r) { return value(i, r); }))
            << "element " << i << " of " << length << ", operation " << static_cast<int>(op);
    }
  }
}

TYPED_TEST(Reduce, OfASingleValueReturnsIt) {
  using T = TypeParam;
  const int n = world().size();
  EXPECT_EQ(world().reduce(number<T>(world().rank() + 1)), number<T>(n * (n + 1) / 2));
}

TYPED_TEST(Reduce, ExtremaOfComplexNumbersAreATypeError) {
  using T = TypeParam;
  if constexpr (is_complex(element_type_of<T>())) {
    for (const Reduction op : {Reduction::minimum, Reduction::maximum})
      EXPECT_TRUE(
          all_throw_error(world(), [&] { (void)world().reduce(T(1), op); }, ErrorKind::type));
  }
}

TEST(ReduceIntegers, SumsOfInt64AreExactBeyondDoubles) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  EXPECT_EQ(world().reduce(world().rank() == 0 ? large : std::int64_t{2}),
            large + 2 * (world().size() - 1));
}

}  // namespace
}  // namespace lagoon::atoll::test
