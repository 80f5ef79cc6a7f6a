// Reductions and broadcasts of groups, against a serial model, in one node and across nodes.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "support.hpp"
#include "wire_counter.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {
namespace {

/// What member `rank` brings, the same wherever it is asked for.
template <Element T>
std::vector<T> brought_by(int rank, std::int64_t count, int salt) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = number<T>((i * 37 + rank * 11 + salt * 5) % 9 - 3);
  return values;
}

template <Element T>
T reduced(T a, T b, Reduction op) {
  if (op == Reduction::sum) return static_cast<T>(a + b);
  if (op == Reduction::product) return static_cast<T>(a * b);
  if constexpr (is_complex(element_type_of<T>()))
    return a;
  else
    return op == Reduction::minimum ? std::min(a, b) : std::max(a, b);
}

// Around the pages and parts that travel by shared memory, and longer.
const std::int64_t counts[] = {0, 1, 3, 100, 127, 128, 129, 512, 513, 4096, 20011, 70001};

std::vector<Group> some_groups() {
  std::vector<Group> groups{world(), world().split(world().rank() % 2),
                            world().split(0, -world().rank())};
  groups.push_back(world().split(world().node()));
  return groups;
}

template <class T>
class GroupReduce : public testing::Test {};
TYPED_TEST_SUITE(GroupReduce, AllTypes);

TYPED_TEST(GroupReduce, GivesAllMembersWhatASerialLoopGives) {
  using T = TypeParam;
  int salt = 0;
  for (const Group& group : some_groups())
    for (const Reduction op :
         {Reduction::sum, Reduction::product, Reduction::minimum, Reduction::maximum}) {
      if (is_complex(element_type_of<T>()) && op >= Reduction::minimum) continue;
      for (const std::int64_t count : counts) {
        ++salt;
        std::vector<T> expected = brought_by<T>(0, count, salt);
        for (int rank = 1; rank < group.size(); ++rank) {
          const std::vector<T> more = brought_by<T>(rank, count, salt);
          for (std::size_t i = 0; i < more.size(); ++i)
            expected[i] = reduced(expected[i], more[i], op);
        }
        std::vector<T> values = brought_by<T>(group.rank(), count, salt);
        group.reduce(std::span<T>(values), op);
        EXPECT_TRUE(values == expected) << count << " elements, operation " << static_cast<int>(op)
                                        << ", " << group.size() << " members";
      }
    }
}

TEST(GroupBroadcast, GivesAllMembersWhatTheRootHas) {
  int turn = 0;
  for (const Group& group : some_groups())
    for (const std::int64_t count : counts) {
      const int root = ++turn % group.size();
      auto values = brought_by<double>(group.rank() + 1, count, turn);
      group.broadcast(std::span<double>(values), root);
      EXPECT_TRUE(values == brought_by<double>(root + 1, count, turn)) << count << " elements";
    }
}

// A root runs ahead of those that read, and pages are used again: nobody may see the next turn's.
TEST(GroupBroadcast, KeepsManyTurnsOfSeveralRootsAndReductionsApart) {
  const Group group = world();
  Random random(71);
  for (int turn = 0; turn < 2000; ++turn) {
    const int root = static_cast<int>(random.between(0, group.size() - 1));
    const std::int64_t count = random.between(1, 200);
    if (random.chance(0.3)) {
      std::vector<std::int64_t> values(static_cast<std::size_t>(count), turn + group.rank());
      group.reduce(std::span<std::int64_t>(values));
      const std::int64_t n = group.size(), sum = n * turn + n * (n - 1) / 2;
      ASSERT_TRUE(everywhere(values.front() == sum && values.back() == sum)) << turn;
    } else {
      std::vector<int> values(static_cast<std::size_t>(count), group.rank() == root ? turn : -1);
      group.broadcast(std::span<int>(values), root);
      const bool right = std::ranges::count(values, turn) == count;
      if (turn % 50 == 0)
        ASSERT_TRUE(everywhere(right)) << turn;
      else
        EXPECT_TRUE(right) << turn;
    }
  }
}

TEST(GroupReduce, WrapsIntegersAndKeepsNan) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const int n = world().size();
  const auto wrapped =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(most) * static_cast<std::uint32_t>(n));
  EXPECT_EQ(world().reduce(most), wrapped);
  if (world().nodes() > 1) return;  // MPI says nothing of NaN
  const double mine =
      world().rank() == n - 1 ? std::numeric_limits<double>::quiet_NaN() : world().rank();
  EXPECT_TRUE(std::isnan(world().reduce(mine, Reduction::minimum)));
  EXPECT_TRUE(std::isnan(world().reduce(mine, Reduction::maximum)));
}

TEST(GroupReduce, RefusesTheLeastOfComplexNumbers) {
  EXPECT_THROW((void)world().reduce(std::complex<double>(1, 2), Reduction::minimum), Error);
}

// Memory of the node for long ones comes back.
TEST(GroupReduce, TakesNoMemoryOfTheNodeForGood) {
  std::vector<double> values(100000, 1.0);
  world().reduce(std::span<double>(values));
  world().barrier();
  const std::uint64_t before = detail::WorldState::get().arena().free_bytes();
  world().barrier();
  for (int i = 0; i < 5; ++i) {
    world().reduce(std::span<double>(values));
    world().broadcast(std::span<double>(values), 0);
  }
  world().barrier();
  EXPECT_EQ(detail::WorldState::get().arena().free_bytes(), before);
  world().barrier();
}

TEST(GroupReduce, InOneNodeNothingGoesByMpi) {
  const Group group = world().split(world().node());
  std::vector<double> values(100000, 1.0);
  const std::int64_t before = collectives_of_mpi();
  for (const std::size_t count : {1U, 100U, 100000U}) {
    group.reduce(std::span<double>(values).first(count));
    group.broadcast(std::span<double>(values).first(count), group.size() - 1);
  }
  EXPECT_EQ(collectives_of_mpi(), before);
}

}  // namespace
}  // namespace lagoon::atoll::test
