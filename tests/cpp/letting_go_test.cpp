// Memory and groups that ranks let go one by one, in any order: what is freed, when, and in which
// order on all ranks.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "mpi/face.hpp"
#include "support.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {
namespace {

/// Of the node that has least, when members have told each other what they have let go.
std::uint64_t free_bytes() {
  world().barrier();
  for (int i = 0; i < 2; ++i) Array<std::uint8_t>(world(), {1}).destroy();
  world().barrier();
  const auto least =
      world().reduce(static_cast<std::int64_t>(detail::WorldState::get().arena().free_bytes()),
                     Reduction::minimum);
  return static_cast<std::uint64_t>(least);
}

/// The length of an array of bytes that takes `share` of the node that has most of it.
Index length_for(double share) {
  std::vector<int> ranks(static_cast<std::size_t>(world().nodes()));
  for (int rank = 0; rank < world().size(); ++rank)
    ++ranks[static_cast<std::size_t>(world().node_of(rank))];
  const double here = static_cast<double>(*std::ranges::max_element(ranks)) / world().size();
  return {static_cast<std::int64_t>(share / here * static_cast<double>(free_bytes()))};
}

using Bytes = Array<std::uint8_t>;
ArrayOptions untouched() { return {.name = "untouched", .zero = false}; }

TEST(LettingGo, AnArrayAndItsGroupGoTogether) {
  const Index length = length_for(0.4);
  for (int round = 0; round < 6; ++round) {
    const Group group = world().split(0, -world().rank());
    const Bytes array(group, length, untouched());
    EXPECT_TRUE(array.alive());
  }
  world().barrier();
}

TEST(LettingGo, AGroupMadeByItsMembersAloneGoesWithItsArray) {
  const Index length = length_for(0.4);
  std::vector<int> everybody(static_cast<std::size_t>(world().size()));
  for (int rank = 0; rank < world().size(); ++rank)
    everybody[static_cast<std::size_t>(rank)] = rank;
  for (int round = 0; round < 6; ++round) {
    const Group group = world().create_among(everybody);
    const Bytes array(group, length, untouched());
    EXPECT_TRUE(array.alive());
  }
  world().barrier();
}

TEST(LettingGo, GroupsWithoutShortageGiveTheirMemoryBackToo) {
  const std::uint64_t before = free_bytes();
  for (int round = 0; round < 20; ++round) {
    const Group group = world().split(world().rank() % 2);
    const Bytes array(group, {1 << 20}, untouched());
  }
  EXPECT_LT(before - free_bytes(), std::uint64_t{1} << 20);
  world().barrier();
}

TEST(LettingGo, AllThatEverybodyDroppedMakesRoom) {
  constexpr int count = 180;
  const Index each = length_for(0.9 / count), large = length_for(0.8);
  std::vector<Bytes> arrays;
  for (int i = 0; i < count; ++i) arrays.emplace_back(world(), each, untouched());
  if (world().rank() % 2 == 0) std::ranges::reverse(arrays);
  arrays.clear();
  const Bytes next(world(), large, untouched());
  EXPECT_TRUE(next.alive());
  world().barrier();
}

TEST(LettingGo, WhatWasDroppedInAnotherGroupMakesRoom) {
  const Index length = length_for(0.6);
  const Group group = world().split(0, -world().rank());
  {
    const Bytes array(group, length, untouched());
  }
  const Bytes next(world(), length, untouched());
  EXPECT_TRUE(next.alive());
  world().barrier();
}

TEST(LettingGo, WhatOneRankStillHoldsDoesNotMakeRoom) {
  const Index length = length_for(0.6);
  auto array = std::make_unique<Bytes>(world(), length, untouched());
  const bool late = world().rank() == world().size() - 1;
  if (!late) array.reset();
  EXPECT_TRUE(all_throw_error(
      world(), [&] { const Bytes next(world(), length, untouched()); }, ErrorKind::memory));
  if (late) {
    const std::uint8_t seven = 7;
    std::uint8_t got = 0;
    array->put({{0}, {1}}, &seven);
    array->get({{0}, {1}}, &got);
    EXPECT_EQ(got, seven);
  }
  array.reset();
  const Bytes next(world(), length, untouched());
  EXPECT_TRUE(next.alive());
  world().barrier();
}

TEST(LettingGo, AnArraysMemoryStaysForAnOverlayOfOneRank) {
  const std::uint64_t before = free_bytes();
  constexpr std::int64_t length = 600'000;
  std::vector<std::int64_t> values(length);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i) * 3 + 1;
  Array<std::int64_t> parent(world(), {length});
  if (world().rank() == 0) parent.put(whole({length}), values.data());
  auto overlay =
      std::make_unique<Array<std::int64_t>>(array_in(parent, {length}, ElementType::int64, {}));
  const bool late = world().rank() == world().size() - 1;
  if (!late) overlay.reset();
  parent.destroy();
  {
    Array<std::int64_t> next(world(), {length});
    const std::vector<std::int64_t> others(length, -1);
    if (world().rank() == 0) next.put(whole({length}), others.data());
    world().sync();
    if (late) {
      EXPECT_TRUE(holds(*overlay, values));
    }
    world().barrier();
  }
  overlay.reset();
  EXPECT_LT(before - free_bytes(), std::uint64_t{1} << 20);
  world().barrier();
}

std::map<std::uintptr_t, char> watched;  // communicators
std::string freed;                       // their letters
int (*real_free)(mpi::Comm*) = nullptr;

/// Notes which of the watched communicators are freed, while it lives.
struct WatchedFrees {
  WatchedFrees() {
    freed.clear();
    real_free = mpi::calls.comm_free;
    mpi::calls.comm_free = [](mpi::Comm* communicator) {
      if (const auto one = watched.extract(communicator->bits)) freed += one.mapped();
      return real_free(communicator);
    };
  }
  ~WatchedFrees() { mpi::calls.comm_free = real_free; }
  WatchedFrees(const WatchedFrees&) = delete;
  WatchedFrees& operator=(const WatchedFrees&) = delete;
};

TEST(LettingGo, CommunicatorsAreFreedInOneOrder) {
  const WatchedFrees watched_frees;
  std::vector<Group> groups;
  for (const char letter : {'a', 'b', 'c'}) {
    groups.push_back(world().split(0));
    watched[groups.back().mpi_communicator().bits] = letter;
  }
  // As a garbage collector might.
  const auto first = static_cast<std::ptrdiff_t>(world().rank() % 3);
  std::rotate(groups.begin(), groups.begin() + first, groups.end());
  for (Group& group : groups) group = Group();
  for (int i = 0; i < 2; ++i) const Bytes next(world(), {1});
  std::string order = freed;
  world().broadcast(order, 0);
  EXPECT_EQ(freed, order) << "rank " << world().rank();
  std::ranges::sort(order);
  EXPECT_EQ(order, "abc");
  world().barrier();
}

TEST(LettingGo, MoreGroupsThanMpiHasContextsComeAndGo) {
  const std::vector<int> self{world().rank()};
  for (int round = 0; round < 5000; ++round) EXPECT_EQ(world().create_among(self).size(), 1);
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
