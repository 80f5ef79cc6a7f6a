// A split of a group is made for all of its parts, or for none.
#include <vector>

#include "support.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {
namespace {

/// The memory that a node has left, taken while this lives.
class FullNode {
 public:
  explicit FullNode(bool takes) {
    for (std::uint64_t bytes = takes ? arena_.capacity() : 0; bytes >= 64;) {
      const std::uint64_t offset = arena_.allocate(bytes);
      if (offset == detail::Arena::none)
        bytes /= 2;
      else
        taken_.push_back(offset);
    }
  }
  FullNode(const FullNode&) = delete;
  FullNode& operator=(const FullNode&) = delete;
  ~FullNode() {
    for (const std::uint64_t offset : taken_) arena_.free(offset);
  }

 private:
  detail::Arena& arena_ = detail::WorldState::get().arena();
  std::vector<std::uint64_t> taken_;
};

TEST(Split, IsRefusedEverywhereWhereOneNodeHasNoMemory) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
  world().sync();
  {
    const bool leader = world().node_ranks().front() == world().rank();
    const FullNode full(world().node() == 0 && leader);
    world().barrier();
    EXPECT_TRUE(throws_error([] { (void)world().split(world().node()); }, ErrorKind::memory, {}));
    EXPECT_TRUE(throws_error([] { const Array<double> m(world(), {4, 4}, {.mirrored = true}); },
                             ErrorKind::memory, {}));
    world().barrier();
  }
  world().sync();
  EXPECT_TRUE(world().split(world().node()));
}

TEST(NullPointer, IsRefusedAlsoWhereTheLastTransferFell) {
  Array<double> a(world(), {10});
  world().sync();
  const Patch patch{{0}, {1}, {}};
  for (int call = 0; call < 2; ++call) {
    double value = 0;
    EXPECT_TRUE(throws_error([&] { a.get(patch, nullptr); }, ErrorKind::value, {"null"}));
    EXPECT_TRUE(throws_error([&] { a.put(patch, nullptr); }, ErrorKind::value, {"null"}));
    EXPECT_TRUE(throws_error([&] { a.accumulate(patch, nullptr); }, ErrorKind::value, {"null"}));
    a.get(patch, &value);
  }
  world().sync();
}

}  // namespace
}  // namespace lagoon::atoll::test
