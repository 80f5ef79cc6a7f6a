// Read-only arrays: all writes are refused, on all ranks alike; reads stay on the node.
#include <array>

#include "serial_model.hpp"
#include "support.hpp"
#include "wire_counter.hpp"

namespace lagoon::atoll::test {
namespace {

testing::AssertionResult refused(const std::function<void()>& action) {
  return all_throw_error(world(), action, ErrorKind::state, {"read-only", "'table'"});
}

TEST(ReadOnly, EveryWayToWriteIsRefused) {
  Array<std::int64_t> a(world(), {8, 8}, {.name = "table"}), b(world(), {8, 8});
  fill(a, 3);
  fill(b, 4);
  EXPECT_FALSE(a.read_only());
  a.set_read_only(true);
  a.set_read_only(true);
  EXPECT_TRUE(a.read_only());
  const Patch all = whole(a.shape());
  const std::vector<std::int64_t> values(64, 7);
  const std::array<std::int64_t, 2> position{1, 2};
  EXPECT_TRUE(refused([&] { a.put(all, values.data()); }));
  EXPECT_TRUE(refused([&] { a.accumulate(all, values.data()); }));
  EXPECT_TRUE(refused([&] { a.put_async(all, values.data()).wait(); }));
  EXPECT_TRUE(refused([&] { a.accumulate_async(all, values.data()).wait(); }));
  EXPECT_TRUE(refused([&] { a.scatter(position, values.data()); }));
  EXPECT_TRUE(refused([&] { a.scatter_accumulate(position, values.data()); }));
  EXPECT_TRUE(refused([&] { a.fetch_add({1, 2}, 1); }));
  EXPECT_TRUE(refused([&] { a.swap({1, 2}, 1); }));
  EXPECT_TRUE(refused([&] { put_periodic(a, all, values.data()); }));
  EXPECT_TRUE(refused([&] { accumulate_periodic(a, all, values.data()); }));
  EXPECT_TRUE(refused([&] { (void)a.local(); }));
  EXPECT_TRUE(refused([&] { (void)a.blocks(a.group().rank()); }));
  EXPECT_TRUE(refused([&] { (void)a.storage(a.group().rank()); }));
  EXPECT_TRUE(refused([&] { (void)local_with_halo(a); }));
  EXPECT_TRUE(refused([&] { fill(a, 1); }));
  EXPECT_TRUE(refused([&] { fill({a, {{0, 0}, {1, 1}, {}}}, 1); }));
  EXPECT_TRUE(refused([&] { zero(a); }));
  EXPECT_TRUE(refused([&] { scale(a, 2); }));
  EXPECT_TRUE(refused([&] { add(1, b, 1, b, a); }));
  EXPECT_TRUE(refused([&] { multiply(b, b, a); }));
  EXPECT_TRUE(refused([&] { absolute(b, a); }));
  EXPECT_TRUE(refused([&] { copy(b, a); }));
  EXPECT_TRUE(refused([&] { copy({b, all}, {a, all}); }));
  EXPECT_TRUE(refused([&] { random_fill(a, 1); }));
  const Array<std::int64_t> copies = mirror(b);
  EXPECT_TRUE(refused([&] { merge_into(copies, a); }));
  EXPECT_TRUE(holds(a, std::vector<std::int64_t>(64, 3)));

  // As an operand it serves.
  add(1, a, 1, b, b);
  EXPECT_TRUE(holds(b, std::vector<std::int64_t>(64, 7)));
  EXPECT_EQ(sum(a).as<std::int64_t>(), 64 * 3);
  copy({a, all, Form::transposed}, {b, all});
  EXPECT_TRUE(holds(b, std::vector<std::int64_t>(64, 3)));
  EXPECT_FALSE(a.duplicate().read_only());
  for (const ReadableBlock& block : a.readable_blocks(a.group().rank()))
    EXPECT_EQ(*static_cast<const std::int64_t*>(block.data), 3);
  const ReadableBlock mine = a.readable_block(a.group().rank());
  EXPECT_EQ(mine.patch, b.local().patch);
  world().barrier();

  a.set_read_only(false);
  EXPECT_FALSE(a.read_only());
  fill(a, 5);
  EXPECT_TRUE(holds(a, std::vector<std::int64_t>(64, 5)));
  EXPECT_EQ(a.local().patch, mine.patch);
  world().barrier();
}

TEST(ReadOnly, ReadsAreRightAndTheSecondMovesNothing) {
  const Index shape{300, 200};
  Array<double> a(world(), shape, {.name = "table"});
  SerialArray<double> model(shape);
  for (std::size_t i = 0; i < model.values().size(); ++i)
    model.values()[i] = marked_value<double>(static_cast<std::int64_t>(i));
  if (world().rank() == 0) a.put(whole(shape), model.values().data());
  a.set_read_only(true);  // completes what was written
  const auto expect_right = [&](std::uint64_t seed) {
    Random mine(seed, world().rank());
    for (int i = 0; i < 20; ++i) {
      const Patch patch = random_patch(mine, shape, i % 2 == 0);
      std::vector<double> actual(static_cast<std::size_t>(patch.elements()));
      a.get(patch, actual.data());
      EXPECT_TRUE(same_elements(actual, model.get(patch), patch.shape()));
      const Index at = random_position(mine, shape);
      double element = 0;
      a.gather({at.begin(), 2}, &element);
      EXPECT_EQ(element, model.at(at));
    }
  };
  const WireCounter wire;
  expect_right(3);
  EXPECT_TRUE(holds(a, model.values()));
  const std::int64_t first = wire.sent();
  expect_right(3);
  expect_right(5);
  EXPECT_EQ(wire.sent(), first);
  std::vector<double> actual(model.values().size());
  a.get_async(whole(shape), actual.data()).wait();  // past the cache
  EXPECT_TRUE(same_elements(actual, model.values(), shape));
  world().barrier();

  // What is written between two spells of reading is seen in the second.
  a.set_read_only(false);
  fill(a, 6);
  a.set_read_only(true);
  EXPECT_TRUE(holds(a, std::vector<double>(60000, 6)));
  world().barrier();
  a.destroy();
}

TEST(ReadOnly, BadCallsThrowOnAllRanks) {
  Array<double> a(world(), {4}, {.name = "table"});
  Array<double> m(world(), {4}, {.name = "m", .mirrored = true});
  EXPECT_TRUE(all_throw_error(world(), [&] { m.set_read_only(true); }, ErrorKind::value,
                              {"set_read_only", "mirrored", "'m'"}));
  if (world().size() > 1) {
    EXPECT_TRUE(all_throw_error(world(), [&] { a.set_read_only(world().rank() == 0); },
                                ErrorKind::mismatch, {"set_read_only"}));
  }
  EXPECT_FALSE(a.read_only());
  a.set_read_only(true);
  LazyMirror<double> mirror(a);  // one of its own
  EXPECT_EQ(mirror.at({3}), 0);
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
