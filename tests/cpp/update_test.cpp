// Updates by a function of the program's: atomic among ranks and with accumulates, old values,
// sections cut into portions, order behind transfers, and what is refused.
#include <cstring>
#include <numeric>
#include <set>
#include <vector>

#include "array/memory_state.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::Operation;
using detail::UpdateKind;
using detail::UpdateRun;

enum Code : std::uint32_t { add_double = 1, set_bytes, read_only, every_third };

// A sum in two steps: lost updates would show. Elements may lie anywhere.
void apply(std::uint32_t code, const std::byte* operands, std::byte* target,
           std::int64_t elements) noexcept {
  if (code == set_bytes) std::memcpy(target, operands, static_cast<std::size_t>(elements));
  if (code == add_double)
    for (std::int64_t i = 0; i < elements; ++i) {
      double old = 0, term = 0;
      std::memcpy(&old, target + 8 * i, 8);
      std::memcpy(&term, operands + 8 * i, 8);
      old += term;
      std::memcpy(target + 8 * i, &old, 8);
    }
  if (code == every_third)
    for (std::int64_t i = 0; i < 7 * elements; ++i) target[i] = operands[3 * i];
}
const bool set_at_start = []() noexcept {
  detail::set_updater(apply);
  return true;
}();

constexpr UpdateKind sum{add_double, 8, 8}, write{set_bytes, 1, 1}, read{read_only, 8, 0};

void update(Memory& memory, int rank, const UpdateKind& kind, const std::vector<UpdateRun>& runs,
            const void* operands, void* old) {
  Operation operation;
  memory.state()->update(rank, kind, runs, static_cast<const std::byte*>(operands),
                         static_cast<std::byte*>(old), operation);
  operation.wait();
}

TEST(Update, ConcurrentUpdatesAndAccumulatesOfTheSameElementsAllCount) {
  constexpr std::int64_t times = 100;
  Memory memory(world(), 64);
  const double one = 1;
  for (const int target : std::set<int>{0, world().size() - 1}) {
    double last = -1;
    for (std::int64_t i = 0; i < times; ++i) {
      double old = 0;
      update(memory, target, sum, {{8, 1}}, &one, &old);
      EXPECT_GT(old, last) << "an old value came twice";
      last = old;
      memory.accumulate({target, 8, {1}, {8}, ElementType::float64}, &one);
      update(memory, target, sum, {{8, 1}}, &one, nullptr);
    }
    world().sync();
    double total = 0;
    memory.get({target, 8, {8}}, &total);
    EXPECT_EQ(total, 3.0 * times * world().size());
    world().sync();
  }
}

TEST(Update, LargeSectionsOfManyRunsGiveOldValuesInOrder) {
  // More than a message holds, in runs of all lengths, beginning at odd bytes.
  constexpr std::int64_t block = 300000;
  Memory memory(world(), block);
  const int target = (world().rank() + 1) % world().size();
  Random random(7, world().rank());
  std::vector<UpdateRun> runs;
  std::int64_t at = 1, elements = 0;
  for (const std::int64_t longest : {40, 3, 9000}) {
    for (int n = 0; n < 300 && at + 8 * longest + 16 < block; ++n) {
      const std::int64_t length = random.between(0, longest);
      runs.push_back({at, length});
      elements += length;
      at += 8 * length + random.between(0, 5);
    }
  }
  ASSERT_GT(elements, 10000);
  std::vector<double> operands(static_cast<std::size_t>(elements));
  std::iota(operands.begin(), operands.end(), 1.0);
  std::vector<double> old(operands.size(), -1), later(operands.size(), -1);
  update(memory, target, sum, runs, operands.data(), old.data());
  EXPECT_EQ(old, std::vector<double>(operands.size(), 0));
  update(memory, target, sum, runs, operands.data(), nullptr);
  update(memory, target, read, runs, nullptr, later.data());
  for (double& value : later) value /= 2;
  EXPECT_EQ(later, operands);
  world().sync();
}

TEST(Update, ElementsThatStraddleStripesAndHaveWiderOperands) {
  // Elements of 7 bytes with operands of 21, over several of the 64 KiB that a lock covers.
  constexpr std::int64_t elements = 40000;
  Memory memory(world(), 7 * elements);
  if (world().rank() == 0) {
    std::vector<unsigned char> operands(21 * elements), model(7 * elements), all(7 * elements);
    for (std::size_t i = 0; i < operands.size(); ++i)
      operands[i] = static_cast<unsigned char>(i * 31 % 251);
    for (std::size_t i = 0; i < model.size(); ++i) model[i] = operands[3 * i];
    update(memory, world().size() - 1, {every_third, 7, 21}, {{0, elements}}, operands.data(),
           nullptr);
    memory.get({world().size() - 1, 0, {7 * elements}}, all.data());
    EXPECT_EQ(all, model);
  }
  world().sync();
}

TEST(Update, ComesAfterEarlierTransfersOfThisRank) {
  constexpr std::int64_t count = 200000;
  Memory memory(world(), 8 * count);
  const int target = (world().rank() + 1) % world().size();
  const std::vector<double> ones(count, 1), tens(count, 10);
  const MemorySection all{target, 0, {count}, {8}, ElementType::float64};
  Handle first = memory.put_async(all, ones.data());
  std::vector<double> old(count, 0);
  Operation operation;
  operation.nonblocking = true;
  memory.state()->update(target, sum, std::vector<UpdateRun>{{0, count}},
                         reinterpret_cast<const std::byte*>(tens.data()),
                         reinterpret_cast<std::byte*>(old.data()), operation);
  Handle second = memory.accumulate_async(all, ones.data());
  std::vector<double> now(count, 0);
  memory.get(all, now.data());
  operation.wait();
  first.wait();
  second.wait();
  EXPECT_EQ(old, ones);
  EXPECT_EQ(now, std::vector<double>(count, 12));
  world().sync();
}

TEST(Update, RefusesRunsOutsideTheBlockAndMemoryThatIsGone) {
  Memory memory(world(), 64);
  const unsigned char byte = 1;
  for (const UpdateRun& run : {UpdateRun{-1, 1}, UpdateRun{64, 1}, UpdateRun{60, 5}})
    EXPECT_THROW(update(memory, 0, write, {run}, &byte, nullptr), Error) << run.offset;
  update(memory, 0, write, {}, nullptr, nullptr);
  world().sync();
  const auto state = memory.state();
  const auto hold = state->segment;
  const int last = world().size() - 1;
  const bool remote = !world().same_node(last);
  memory.destroy();
  world().sync();
  if (remote) {
    unsigned char old = 7;
    const auto late = [&](std::byte* into) {
      Operation operation;
      detail::transport(detail::WorldState::get())
          ->update({*hold, last, 0, Index{}}, write, std::vector<UpdateRun>{{0, 1}},
                   reinterpret_cast<const std::byte*>(&byte), into, operation);
      operation.wait();
    };
    EXPECT_THROW(late(reinterpret_cast<std::byte*>(&old)), Error);
    late(nullptr);
    EXPECT_THROW(world().fence(last), Error);
  }
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test
