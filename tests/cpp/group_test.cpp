// Groups: create, split, nest, default, translate, and collectives inside them.
#include <algorithm>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(Group, TheDefaultConstructedOneHasNoMembers) {
  const Group nobody;
  EXPECT_FALSE(static_cast<bool>(nobody));
  EXPECT_EQ(nobody, Group{});
}

TEST(Group, CopiesAreTheSameGroup) {
  const Group all = world();
  const Group copy = all;
  EXPECT_EQ(copy, all);
  EXPECT_EQ(copy.size(), world().size());
}

TEST(GroupSplit, FormsGroupsOfEqualColour) {
  for (int colours = 1; colours <= world().size() + 1; ++colours) {
    const int colour = world().rank() % colours;
    const Group group = world().split(colour);
    ASSERT_TRUE(everywhere(static_cast<bool>(group)));
    int expected_size = 0;
    for (int r = 0; r < world().size(); ++r) {
      if (r % colours != colour) {
        EXPECT_EQ(group.rank_of_world(r), -1);
        continue;
      }
      EXPECT_EQ(group.world_rank(expected_size), r);
      EXPECT_EQ(group.rank_of_world(r), expected_size);
      ++expected_size;
    }
    EXPECT_EQ(group.size(), expected_size);
    EXPECT_EQ(group.world_rank(group.rank()), world().rank());
  }
}

TEST(GroupSplit, OrdersByKeyThenRank) {
  const int n = world().size();
  const Group backwards = world().split(0, -world().rank());
  EXPECT_EQ(backwards.rank(), n - 1 - world().rank());
  const Group by_rank = world().split(3, 5);
  EXPECT_EQ(by_rank.rank(), world().rank());
  const Group odd_first = world().split(0, world().rank() % 2 == 1 ? 0 : 1);
  EXPECT_EQ(odd_first.world_rank(0), n > 1 ? 1 : 0);
  for (const Group* group : {&backwards, &by_rank, &odd_first})
    for (int rank = 0; rank < n; ++rank)
      EXPECT_EQ(group->rank_of_world(group->world_rank(rank)), rank);
  EXPECT_EQ(odd_first.rank_of_world(n), -1);
}

TEST(GroupSplit, ANegativeColourTakesNoPart) {
  const bool in = world().rank() == world().size() - 1;
  const Group last = world().split(in ? 0 : -1);
  EXPECT_EQ(static_cast<bool>(last), in);
  if (in) {
    EXPECT_EQ(last.size(), 1);
    EXPECT_EQ(last.reduce<std::int32_t>(5), 5);
    last.barrier();
    last.sync();
  }
  const Group nobody = world().split(-1);
  EXPECT_FALSE(static_cast<bool>(nobody));
}

TEST(GroupCreate, KeepsTheGivenOrder) {
  std::vector<int> ranks;
  for (int r = world().size() - 1; r >= 0; r -= 2) ranks.push_back(r);
  const Group group = world().create(ranks);
  const auto mine = std::find(ranks.begin(), ranks.end(), world().rank());
  ASSERT_EQ(static_cast<bool>(group), mine != ranks.end());
  if (group) {
    EXPECT_EQ(group.rank(), mine - ranks.begin());
    EXPECT_EQ(group.size(), std::ssize(ranks));
    for (int r = 0; r < group.size(); ++r)
      EXPECT_EQ(group.world_rank(r), ranks[static_cast<std::size_t>(r)]);
  }
  world().barrier();
}

TEST(GroupCreate, BadListsAreErrorsOnAllRanks) {
  const std::vector<std::vector<int>> lists{
      {0, 0}, {-1}, {world().size()}, {0, world().size() + 7}};
  for (const auto& list : lists)
    EXPECT_TRUE(all_throw_error(world(), [&] { (void)world().create(list); }, ErrorKind::value));
  // And the world works on.
  EXPECT_EQ(world().reduce<std::int32_t>(1), world().size());
}

TEST(GroupCreate, DifferentListsAreAMismatch) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  const std::vector<int> list{world().rank() == 0 ? 0 : 1};
  EXPECT_TRUE(all_throw_error(world(), [&] { (void)world().create(list); }, ErrorKind::mismatch));
}

TEST(GroupNesting, SubgroupsOfSubgroupsTranslateRanks) {
  Group group = world();
  std::vector<int> members;
  for (int r = 0; r < world().size(); ++r) members.push_back(r);
  // Drop the first member again and again until one is left.
  while (group && group.size() > 1) {
    std::vector<int> rest;
    for (int r = 1; r < group.size(); ++r) rest.push_back(r);
    group = group.create(rest);
    members.erase(members.begin());
    if (!group) break;
    ASSERT_EQ(group.size(), std::ssize(members));
    for (int r = 0; r < group.size(); ++r)
      EXPECT_EQ(group.world_rank(r), members[static_cast<std::size_t>(r)]);
    EXPECT_EQ(group.reduce<std::int64_t>(world().rank(), Reduction::minimum), members.front());
  }
  world().barrier();
}

TEST(GroupTopology, CountsOnlyTheNodesOfItsMembers) {
  const Group group = world().split(world().rank() % 2);
  int seen = 0;
  for (int r = 0; r < group.size(); ++r) {
    const int node = group.node_of(r);
    ASSERT_LE(node, seen);
    if (node == seen) ++seen;
    EXPECT_EQ(group.same_node(r), world().same_node(group.world_rank(r)));
    for (int s = 0; s < r; ++s)
      EXPECT_EQ(group.node_of(r) == group.node_of(s),
                world().node_of(group.world_rank(r)) == world().node_of(group.world_rank(s)));
  }
  EXPECT_EQ(group.nodes(), seen);
  std::vector<int> neighbours;
  for (int r = 0; r < group.size(); ++r)
    if (group.same_node(r)) neighbours.push_back(r);
  EXPECT_EQ(group.node_ranks(), neighbours);
}

TEST(GroupCollectives, OfDisjointGroupsDoNotMeet) {
  const Group group = world().split(world().rank() % 2);
  // The groups do different numbers of collectives at the same time.
  for (int round = 0; round < (world().rank() % 2 == 0 ? 50 : 20); ++round) {
    EXPECT_EQ(group.reduce<std::int32_t>(1), group.size());
    std::int64_t value = group.rank() == 0 ? world().rank() + round : -1;
    group.broadcast(std::span(&value, 1), 0);
    EXPECT_EQ(value, group.world_rank(0) + round);
    group.barrier();
    if (round % 10 == 0) group.sync();
  }
  world().barrier();
}

TEST(GroupCollectives, TheCommunicatorServesTheCallersOwnMessages) {
  const Group group = world().split(0, -world().rank());
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(group.communicator(), &rank);
  MPI_Comm_size(group.communicator(), &size);
  EXPECT_EQ(rank, group.rank());
  EXPECT_EQ(size, group.size());
  int token = rank;
  MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                       group.communicator(), MPI_STATUS_IGNORE);
  EXPECT_EQ(token, (rank + size - 1) % size);
}

TEST(GroupDefault, IsTheWorldUntilSet) {
  EXPECT_EQ(world().default_group(), static_cast<const Group&>(world()));
  const Group half = world().split(world().rank() % 2);
  world().set_default_group(half);
  EXPECT_EQ(world().default_group(), half);
  EXPECT_EQ(world().default_group().size(), half.size());
  world().set_default_group(world());
  EXPECT_EQ(world().default_group().size(), world().size());
  world().barrier();
}

TEST(GroupArguments, RanksOutsideAreValueErrors) {
  const Group group = world().split(0);
  for (const int rank : {-1, group.size(), 1 << 30}) {
    const std::vector<std::string> text{std::to_string(rank)};
    EXPECT_TRUE(throws_error([&] { (void)group.world_rank(rank); }, ErrorKind::value, text));
    EXPECT_TRUE(throws_error([&] { (void)group.node_of(rank); }, ErrorKind::value, text));
    EXPECT_TRUE(throws_error([&] { (void)group.same_node(rank); }, ErrorKind::value, text));
    EXPECT_TRUE(throws_error([&] { group.fence(rank); }, ErrorKind::value, text));
  }
}

TEST(GroupArguments, TheEmptyGroupRefusesEverything) {
  const Group nobody;
  EXPECT_TRUE(throws_error([&] { (void)nobody.rank(); }, ErrorKind::state));
  EXPECT_TRUE(throws_error([&] { (void)nobody.size(); }, ErrorKind::state));
  EXPECT_TRUE(throws_error([&] { nobody.barrier(); }, ErrorKind::state));
  EXPECT_TRUE(throws_error([&] { nobody.sync(); }, ErrorKind::state));
  EXPECT_TRUE(throws_error([&] { (void)nobody.split(0); }, ErrorKind::state));
  EXPECT_TRUE(throws_error([&] { Array<double> a(nobody, {4}); }, ErrorKind::state));
}

TEST(GroupLifetime, ThousandsMayComeAndGo) {
  // More than MPICH has context ids for: a group that is gone gives its own back.
  for (int i = 0; i < 2100; ++i) {
    const Group group = world().split(world().rank() % 2, i);
    if (i % 1000 == 0) {
      EXPECT_EQ(group.reduce<std::int32_t>(1), group.size());
    }
  }
}

TEST(GroupLifetime, TooManyAtOnceAreAnErrorOnAllRanks) {
  // MPICH has 2,048 context ids, other MPIs more than are tried here. All but the last are taken by
  // communicators of this rank alone, which is quicker than groups.
  constexpr std::size_t left = 20, most = 2100;
  world().sync();  // groups that were let go before give theirs back now
  MPI_Comm self = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  std::vector<MPI_Comm> taken;
  for (MPI_Comm made = MPI_COMM_NULL;
       taken.size() < most && MPI_Comm_dup(self, &made) == MPI_SUCCESS;)
    taken.push_back(made);
  const bool enough = taken.size() == most;
  const auto free_last = [&] {
    MPI_Comm_free(&taken.back());
    taken.pop_back();
  };
  for (std::size_t i = 0; i < left; ++i) free_last();
  std::vector<Group> groups;
  try {
    while (groups.size() < left + 1) groups.push_back(world().split(0));
    EXPECT_TRUE(enough) << "more groups than context ids";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::communication);
    EXPECT_NE(std::string(error.what()).find("split group"), std::string::npos) << error.what();
  }
  const auto made = static_cast<std::int64_t>(groups.size());
  EXPECT_GE(made, left) << "a group takes one context id";
  EXPECT_EQ(world().reduce(made, Reduction::minimum), world().reduce(made, Reduction::maximum));
  for (const Group& group : groups) EXPECT_EQ(group.reduce<std::int32_t>(1), group.size());
  groups.clear();
  EXPECT_EQ(world().split(0).size(), world().size()) << "the ids have come back";
  while (!taken.empty()) free_last();
  MPI_Comm_free(&self);
}

}  // namespace
}  // namespace lagoon::atoll::test
