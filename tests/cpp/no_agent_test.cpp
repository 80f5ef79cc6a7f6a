// Nodes without agents (ATOLL_PROGRESS=none): who computes serves nobody, and must hold up nobody
// but those who want something of it. Skipped elsewhere.
//
// A rank sleeps outside of Atoll and MPI; what must not depend on it is over before it wakes.
#include <chrono>
#include <cstdint>
#include <thread>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using Clock = std::chrono::steady_clock;  // one for all processes of a host

/// Leaves out what needs other settings. True to go on.
bool nodes_without_agents(int nodes) {
  return mode_is("ATOLL_PROGRESS", "none") && world().nodes() >= nodes;
}

/// The first rank of the n-th node after rank 0's.
int rank_of_node(int n) {
  const int node = (world().node_of(0) + n) % world().nodes();
  int rank = 0;
  while (world().node_of(rank) != node) ++rank;
  return rank;
}

/// Rank 0 does `first` while rank `sleeper` does nothing; says whether it was over before that.
/// Collective.
template <class First>
bool over_before_it_wakes(int sleeper, First&& first) {
  world().barrier();
  double over = 0, awake = 0;
  if (world().rank() == 0) first();
  const auto now = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()); };
  if (world().rank() == 0) over = now().count();
  if (world().rank() == sleeper) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    awake = now().count();
  }
  over = world().reduce(over);
  awake = world().reduce(awake);
  return over < awake;
}

TEST(NoAgent, NonblockingPutsToInterleavedStripsAllBeginAtOnce) {
  if (!nodes_without_agents(2)) GTEST_SKIP() << "needs ATOLL_PROGRESS=none and nodes";
  constexpr std::int64_t rows = 512, strips = 16, width = 32;
  const int owner = rank_of_node(1);
  Array<double> array(world(), {world().size() * rows, strips * width},
                      {.layout = Layout::blocked({rows, strips * width})});
  std::vector<std::vector<double>> values;
  for (std::int64_t s = 0; s < strips; ++s)
    values.emplace_back(static_cast<std::size_t>(rows * width), static_cast<double>(s + 1));
  std::vector<Handle> handles;
  EXPECT_TRUE(over_before_it_wakes(owner, [&] {
    for (std::int64_t s = 0; s < strips; ++s)
      handles.push_back(
          array.put_async({{owner * rows, s * width}, {(owner + 1) * rows, (s + 1) * width}},
                          values[static_cast<std::size_t>(s)].data()));
  }));
  wait_all(handles);
  world().sync();
  if (world().rank() == owner) {
    std::vector<double> got(static_cast<std::size_t>(rows * strips * width));
    array.get({{owner * rows, 0}, {(owner + 1) * rows, strips * width}}, got.data());
    for (std::size_t i = 0; i < got.size(); ++i)
      if (got[i] != static_cast<double>(i / width % strips + 1)) {
        ADD_FAILURE() << "element " << i << " is " << got[i];
        break;
      }
  }
  world().sync();
}

/// Rank 2's node asks rank 1 for much and sleeps; rank 0's gets from rank 1 are served all the
/// same.
TEST(NoAgent, AnOriginThatComputesHoldsUpNobodyElse) {
  if (!nodes_without_agents(3)) GTEST_SKIP() << "needs ATOLL_PROGRESS=none and three nodes";
  // Answers that MPI sends only when the receiver takes part, and streams through staging.
  constexpr std::int64_t length = 2048, wide = 512, tall = 600;
  const int owner = rank_of_node(1);
  const int sleeper = rank_of_node(2);
  Array<double> answers(world(), {world().size(), length},
                        {.layout = Layout::blocked({1, length})});
  Array<double> streams(world(), {world().size() * tall, wide},
                        {.layout = Layout::blocked({tall, wide})});
  fill(answers, Scalar(2.0));
  fill(streams, Scalar(3.0));
  std::vector<std::vector<double>> got(16, std::vector<double>(length));
  std::vector<std::vector<double>> strips(8, std::vector<double>(tall * wide / 2));
  const auto strip = [&](std::size_t s) {
    const auto lo = static_cast<std::int64_t>(s) * wide / 16;
    return Patch{{owner * tall, lo}, {(owner + 1) * tall, lo + wide / 2}};
  };
  for (const bool streamed : {false, true}) {
    std::vector<Handle> handles;
    world().sync();
    if (world().rank() == sleeper) {
      for (std::size_t i = 0; i < (streamed ? strips.size() : got.size()); ++i)
        handles.push_back(
            streamed ? streams.get_async(strip(i), strips[i].data())
                     : answers.get_async({{owner, 0}, {owner + 1, length}}, got[i].data()));
    }
    EXPECT_TRUE(over_before_it_wakes(sleeper, [&] {
      for (int round = 0; round < 100; ++round) {
        answers.get({{owner, 0}, {owner + 1, length}}, got[0].data());
        if (streamed && round < 5) streams.get(strip(0), strips[0].data());
      }
    })) << (streamed ? "streams" : "answers");
    wait_all(handles);
    world().sync();
  }
  if (world().rank() == 0) {
    EXPECT_EQ(got[0], std::vector<double>(length, 2.0));
    EXPECT_EQ(strips[0], std::vector<double>(tall * wide / 2, 3.0));
  }
  if (world().rank() == sleeper) {
    for (const auto& values : got) EXPECT_EQ(values, std::vector<double>(length, 2.0));
    for (const auto& values : strips) EXPECT_EQ(values, std::vector<double>(tall * wide / 2, 3.0));
  }
  world().sync();
}

/// The other way round: what waits for a node that computes does not fill the way to the others.
TEST(NoAgent, ATargetThatComputesHoldsUpNobodyElse) {
  if (!nodes_without_agents(3)) GTEST_SKIP() << "needs ATOLL_PROGRESS=none and three nodes";
  constexpr std::int64_t small = 1500, wide = 512, tall = 600;
  const int other = rank_of_node(1);
  const int sleeper = rank_of_node(2);
  Array<double> array(world(), {world().size() * tall, wide},
                      {.layout = Layout::blocked({tall, wide})});
  std::vector<double> strip(tall * wide / 2, 5.0);
  std::vector<Handle> handles;
  EXPECT_TRUE(over_before_it_wakes(sleeper, [&] {
    const auto of = [&](int rank, std::int64_t lo, std::int64_t columns) {
      return Patch{{rank * tall, lo}, {(rank + 1) * tall, lo + columns}};
    };
    for (std::int64_t s = 0; s < 6; ++s)
      handles.push_back(array.put_async(of(sleeper, s * 40, 40), strip.data()));
    for (std::int64_t s = 0; s < 12; ++s)
      array.put({{sleeper * tall + 2 * s, 256}, {sleeper * tall + 2 * s + 1, wide}}, strip.data());
    for (int round = 0; round < 40; ++round) {
      array.put({{other * tall, 0}, {other * tall + 3, small / 3}}, strip.data());
      if (round % 10 == 0) array.put(of(other, wide / 2, wide / 2), strip.data());
    }
    world().fence(other);
  }));
  wait_all(handles);
  world().sync();
  if (world().rank() == other) {
    std::vector<double> got(tall * wide / 2);
    array.get({{other * tall, wide / 2}, {(other + 1) * tall, wide}}, got.data());
    EXPECT_EQ(got, strip);
  }
  world().sync();
}

/// A member waits in create_among for one that first reads from the member's node.
TEST(NoAgent, WhoWaitsForTheMembersOfANewGroupServesThem) {
  if (!nodes_without_agents(2)) GTEST_SKIP() << "needs ATOLL_PROGRESS=none and nodes";
  Array<std::int64_t> array(world(), {world().size(), 4}, {.layout = Layout::blocked({1, 4})});
  fill(array, Scalar(7));
  world().sync();
  const int other = rank_of_node(1);
  const std::vector<int> members{0, other};
  std::vector<std::int64_t> got(4, 7);
  Group pair;
  if (world().rank() == other) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // rank 0 waits by now
    array.get({{0, 0}, {1, 4}}, got.data());
  }
  if (world().rank() == 0 || world().rank() == other) pair = world().create_among(members);
  EXPECT_EQ(got, std::vector<std::int64_t>(4, 7));
  if (pair) {
    EXPECT_EQ(pair.reduce<std::int32_t>(1), 2);
  }
  world().sync();
}

/// A rank asks for an element of its own until another node has written it, in every way to ask.
TEST(NoAgent, WhoAsksItsOwnMemoryAgainAndAgainServes) {
  if (!nodes_without_agents(2)) GTEST_SKIP() << "needs ATOLL_PROGRESS=none and nodes";
  Array<std::int64_t> array(world(), {world().size()}, {.layout = Layout::blocked({1})});
  const std::int64_t owner = rank_of_node(1);
  const auto read_by = [&](int way) {
    std::int64_t value = 0;
    if (way == 0) array.get({{owner}, {owner + 1}}, &value);
    if (way == 1) value = array.fetch_add({owner}, 0);
    if (way == 2) array.gather(std::array{owner}, &value);
    if (way == 3) array.get_async({{owner}, {owner + 1}}, &value).wait();
    return value;
  };
  for (int way = 0; way < 4; ++way) {
    const std::int64_t written = way + 1;
    world().barrier();
    if (world().rank() == 0) {
      array.put({{owner}, {owner + 1}}, &written);
      world().fence(static_cast<int>(owner));
    } else if (world().rank() == owner) {
      while (read_by(way) != written) {
      }
    }
    world().sync();
  }
}

}  // namespace
}  // namespace lagoon::atoll::test
