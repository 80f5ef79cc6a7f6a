// The frame of collective calls: what fails on one rank is told to all, after all have met.
#include "array/array_state.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

/// While it lives, the agent of my node does not find this array: writes from other nodes are lost.
class Unfindable {
 public:
  explicit Unfindable(const AnyArray& array)
      : number_(array.state()->segment->number()), record_(registry().find(number_)) {
    if (array.group().state()->first_on_node()) registry().erase(number_);
    array.group().barrier();
  }
  Unfindable(const Unfindable&) = delete;
  Unfindable& operator=(const Unfindable&) = delete;
  ~Unfindable() {
    if (registry().find(number_) == 0 && world().state()->first_on_node())
      registry().insert(number_, record_);
    world().barrier();
  }

 private:
  static detail::Registry registry() {
    return detail::registry(detail::WorldState::get().node_memory());
  }
  const detail::SegmentNumber number_;
  const std::uint64_t record_;
};

/// Rank 0 writes ones to everybody's block of `kept`, and to blocks of `lost` on all other nodes.
void write_everywhere(Array<std::int64_t>& kept, Array<std::int64_t>& lost) {
  if (world().rank() != 0) return;
  const std::int64_t one = 1;
  for (int rank = 0; rank < world().size(); ++rank) {
    kept.put({{rank}, {rank + 1}}, &one);
    if (!world().same_node(rank)) lost.put({{rank}, {rank + 1}}, &one);
  }
}

TEST(Collective, ALostWriteIsToldToAllByTheNextMeeting) {
  if (world().nodes() < 2) GTEST_SKIP() << "needs two nodes";
  if (mode_is("ATOLL_TRANSPORT", "rma")) GTEST_SKIP() << "MPI's own writes are not checked";
  Array<std::int64_t> kept(world(), {world().size()}), lost(world(), {world().size()});
  Array<double> mirrored(world(), {4}, {.mirrored = true});
  const std::vector<std::function<void()>> meetings{
      [&] { world().sync(); },
      [&] { fill(kept, 1); },
      [&] { (void)world().split(0); },
      [&] { const Array<double> another(world(), {4}); },
      [&] { merge(mirrored); },
      [&] { const Array<double> another(world(), {4}, {.mirrored = true}); }};
  for (std::size_t i = 0; i < meetings.size(); ++i) {
    const Unfindable gone(lost);
    write_everywhere(kept, lost);
    EXPECT_TRUE(
        all_throw_error(world(), meetings[i], ErrorKind::state, {"array that was destroyed"}))
        << "meeting " << i;
    EXPECT_EQ(*kept.local().data, 1) << "writes to other nodes are complete, meeting " << i;
    world().sync();
    *kept.local().data = 0;
    world().sync();
  }
}

TEST(Collective, KindsOfErrorThatDifferAreOneOnAllRanks) {
  // One rank's shape is bad where the others' is too large, while all have an array to let go: who
  // is told to be out of memory tries again without it, and everybody must or nobody.
  for (int odd = 0; odd < world().size(); ++odd) {
    {
      const Array<double> dropped(world(), {100});
    }
    const Index shape{world().rank() == odd ? -1 : std::int64_t{1} << 45};
    const bool alone = world().size() == 1 || odd == 0;
    EXPECT_TRUE(all_throw_error(
        world(), [&] { const Array<double> array(world(), shape); },
        alone ? ErrorKind::value : ErrorKind::memory));
    EXPECT_EQ(world().reduce<std::int32_t>(1), world().size()) << "the world works on";
  }
}

TEST(Collective, DestroyingDifferentArraysIsAMismatch) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  for (const bool mirrored : {false, true}) {
    const ArrayOptions options{.name = "twin", .mirrored = mirrored};
    Array<double> first(world(), {4}, options), second(world(), {4}, options);
    const bool odd = world().rank() == world().size() - 1;
    EXPECT_TRUE(all_throw_error(world(), [&] { (odd ? first : second).destroy(); },
                                ErrorKind::mismatch, {"destroy array"}));
    EXPECT_TRUE(first.alive());
    EXPECT_TRUE(second.alive());
    first.destroy();
    second.destroy();
  }
  EXPECT_EQ(world().reduce<std::int32_t>(1), world().size()) << "the world works on";
}

}  // namespace
}  // namespace lagoon::atoll::test
