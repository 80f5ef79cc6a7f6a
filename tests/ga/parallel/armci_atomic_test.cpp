// What ARMCI's processes do to one place at once: read-modify-write, mutexes, notifications.
#include <algorithm>

#include "armci_support.hpp"
#include "atoll/error.hpp"
#include "compat/armci/session.hpp"

namespace armci_test {
namespace {

class ArmciAtomic : public Armci {};

/// Sums over all processes.
std::vector<long> totals(std::vector<long> values) {
  std::string plus = "+";
  armci_msg_lgop(values.data(), static_cast<int>(values.size()), plus.data());
  return values;
}

TEST_F(ArmciAtomic, EveryTicketIsDrawnOnce) {
  constexpr int times = 300;
  const Shared memory(64);
  for (int home = 0; home < processes(); ++home) {
    std::vector<long> longs(static_cast<std::size_t>(times * processes())), ints = longs;
    for (int i = 0; i < times; ++i) {
      long ticket = -1;
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, memory.as<long>(home, 1), 1, home);
      ++longs.at(static_cast<std::size_t>(ticket));
      int step = -1;
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &step, memory.as<int>(home, 1), 3, home);
      ASSERT_EQ(step % 3, 0);
      ++ints.at(static_cast<std::size_t>(step / 3));
    }
    const std::vector<long> once(longs.size(), 1);
    EXPECT_EQ(totals(longs), once);
    EXPECT_EQ(totals(ints), once);
  }
}

TEST_F(ArmciAtomic, SwapLosesNothing) {
  constexpr int times = 200;
  const Shared memory(64);
  const int home = processes() - 1;
  // Everybody swaps in numbers of its own: each comes out once, or is there at the end.
  std::vector<long> seen(static_cast<std::size_t>(times * processes() + 1));
  std::vector<long> seen_ints = seen;
  for (int i = 1; i <= times; ++i) {
    long value = static_cast<long>(times) * me() + i;
    ARMCI_Rmw(ARMCI_SWAP_LONG, &value, memory.as<long>(home, 2), 0, home);
    ++seen.at(static_cast<std::size_t>(value));
    int small = times * me() + i;
    ARMCI_Rmw(ARMCI_SWAP, &small, memory.as<int>(home, 1), 0, home);
    ++seen_ints.at(static_cast<std::size_t>(small));
  }
  ARMCI_Barrier();
  if (me() == 0) {
    ++seen.at(static_cast<std::size_t>(ARMCI_GetValueLong(memory.as<long>(home, 2), home)));
    ++seen_ints.at(static_cast<std::size_t>(ARMCI_GetValueInt(memory.as<int>(home, 1), home)));
  }
  const std::vector<long> once(seen.size(), 1);
  EXPECT_EQ(totals(seen), once);
  EXPECT_EQ(totals(seen_ints), once);
}

TEST_F(ArmciAtomic, AMutexProtectsACounterThatIsNotAtomic) {
  constexpr int times = 40;
  const Shared memory(64);
  ASSERT_EQ(ARMCI_Create_mutexes(2 + me()), 0);  // as many as each likes
  for (int i = 0; i < times; ++i) {
    const int home = i % processes(), mutex = 1 + home;
    ARMCI_Lock(mutex, home);
    // Of another process than the mutex: the unlock must wait for the put.
    const int keeper = (home + 1) % processes();
    const long value = ARMCI_GetValueLong(memory.as<long>(keeper), keeper);
    ARMCI_PutValueLong(value + 1, memory.as<long>(keeper), keeper);
    ARMCI_Unlock(mutex, home);
  }
  ARMCI_Barrier();
  std::vector<long> counts(static_cast<std::size_t>(processes()));
  counts[static_cast<std::size_t>(me())] = *memory.as<long>(me());
  long sum = 0;
  for (const long count : totals(counts)) sum += count;
  EXPECT_EQ(sum, times * processes());
  ASSERT_EQ(ARMCI_Destroy_mutexes(), 0);
  ASSERT_EQ(ARMCI_Create_mutexes(0), 0);
  ASSERT_EQ(ARMCI_Destroy_mutexes(), 0);
}

TEST_F(ArmciAtomic, RefusesMutexesThatAreNotThereOrHeldAlready) {
  using lagoon::atoll::Error;
  ARMCI_Create_mutexes(1);
  auto& mutexes = *lagoon::atoll::armci::Session::get().mutexes;
  EXPECT_THROW(mutexes.lock(1, 0), Error);
  EXPECT_THROW(mutexes.lock(-1, 0), Error);
  EXPECT_THROW(mutexes.lock(0, processes()), Error);
  EXPECT_THROW(mutexes.unlock(0, me()), Error);
  mutexes.lock(0, me());
  EXPECT_THROW(mutexes.lock(0, me()), Error);
  mutexes.unlock(0, me());
  ARMCI_Destroy_mutexes();
}

TEST_F(ArmciAtomic, ANotificationComesAfterTheData) {
  constexpr int elements = 5000;
  const Shared memory(elements * 8);
  const int target = (me() + 1) % processes(), from = (me() + processes() - 1) % processes();
  for (int round = 1; round <= 10; ++round) {
    std::vector<long> data(elements, 100 * round + me());
    ARMCI_NbPut(data.data(), memory.of(target), elements * 8, target, nullptr);
    EXPECT_EQ(armci_notify(target), round);
    int count = 0;
    EXPECT_EQ(armci_notify_wait(from, &count), round);
    EXPECT_EQ(count, round);
    for (int i = 0; i < elements; ++i) ASSERT_EQ(*memory.as<long>(me(), i), 100 * round + from);
    ARMCI_Barrier();
  }
}

TEST_F(ArmciAtomic, NotificationsAreCounted) {
  constexpr int times = 20;
  const int target = (me() + 1) % processes(), from = (me() + processes() - 1) % processes();
  for (int i = 0; i < times; ++i) armci_notify(target);
  int count = 0;
  for (int i = 1; i <= times; ++i) {
    armci_notify_wait(from, &count);
    EXPECT_EQ(count, i);
  }
  ARMCI_Barrier();
}

}  // namespace
}  // namespace armci_test
