// ARMCI's memory: sizes of each process's own, addresses that this node's processes use directly
// and others by transfers, groups' memory, addresses that are sent around, and what is refused.
#include <numeric>

#include "armci_support.hpp"
#include "atoll/error.hpp"
#include "compat/armci/session.hpp"
#include "compat/armci/transfers.hpp"

namespace armci_test {
namespace {

using lagoon::atoll::Error;
using lagoon::atoll::armci::contiguous;
using lagoon::atoll::armci::Deed;
using lagoon::atoll::armci::run;
using lagoon::atoll::armci::Session;

class ArmciMemory : public Armci {};

long bytes_of(int process) { return process % 3 == 1 ? 0 : 800L * (process + 1); }

TEST_F(ArmciMemory, EveryProcessGetsWhatItAskedForAndNullForNothing) {
  for (int round = 0; round < 3; ++round) {
    const Shared memory(bytes_of(me()));
    for (int process = 0; process < processes(); ++process) {
      ASSERT_EQ(memory.of(process) == nullptr, bytes_of(process) == 0);
      if (bytes_of(process) == 0) continue;
      const long last = bytes_of(process) / 8 - 1 - me();
      ARMCI_PutValueLong(100 * process + me(), memory.as<long>(process, last), process);
    }
    ARMCI_Barrier();
    if (bytes_of(me()) == 0) continue;
    for (int from = 0; from < processes(); ++from)
      EXPECT_EQ(*memory.as<long>(me(), bytes_of(me()) / 8 - 1 - from), 100 * me() + from);
  }
}

TEST_F(ArmciMemory, NothingForAnybodyIsNull) {
  Shared memory(0);
  for (int process = 0; process < processes(); ++process) EXPECT_EQ(memory.of(process), nullptr);
}

TEST_F(ArmciMemory, AProcessOfThisNodeLoadsAndStoresDirectly) {
  const Shared memory(static_cast<long>(processes()) * 4);
  for (int process = 0; process < processes(); ++process)
    if (ARMCI_Same_node(process) != 0) *memory.as<int>(process, me()) = 10 + me();
  ARMCI_Barrier();
  for (int process = 0; process < processes(); ++process)
    for (int writer = 0; writer < processes(); ++writer) {
      const bool near =
          armci_domain_id(ARMCI_DOMAIN_SMP, process) == armci_domain_id(ARMCI_DOMAIN_SMP, writer);
      EXPECT_EQ(ARMCI_GetValueInt(memory.as<int>(process, writer), process),
                near ? 10 + writer : 0);
    }
}

TEST_F(ArmciMemory, ManyAllocationsLiveSideBySide) {
  std::vector<std::unique_ptr<Shared>> all;
  for (int i = 0; i < 100; ++i) all.push_back(std::make_unique<Shared>(8 * (1 + i % 5)));
  const int target = (me() + 1) % processes();
  for (int i = 0; i < 100; ++i)
    ARMCI_PutValueLong(i, all[static_cast<std::size_t>(i)]->as<long>(target, i % 5), target);
  ARMCI_Barrier();
  for (int i = 0; i < 100; i += 2) all[static_cast<std::size_t>(i)].reset();
  for (int i = 1; i < 100; i += 2)
    EXPECT_EQ(*all[static_cast<std::size_t>(i)]->as<long>(me(), i % 5), i);
  for (int i = 99; i > 0; i -= 2) all[static_cast<std::size_t>(i)].reset();
}

TEST_F(ArmciMemory, ExchangedAddressesServeWhereTheyArrive) {
  const Shared memory(4096);
  std::vector<void*> there(static_cast<std::size_t>(processes()));
  there[static_cast<std::size_t>(me())] = memory.as<long>(me(), 10 + me());
  armci_exchange_address(there.data(), processes());
  for (int process = 0; process < processes(); ++process)
    EXPECT_EQ(there[static_cast<std::size_t>(process)], memory.as<long>(process, 10 + process));
  // What is no memory of ARMCI's comes as it is.
  int local = 0;
  there[static_cast<std::size_t>(me())] = &local;
  armci_exchange_address(there.data(), processes());
  EXPECT_EQ(there[static_cast<std::size_t>(me())], &local);
}

TEST_F(ArmciMemory, AnOwnersAddressSentByAMessageIsGoodForTransfers) {
  const Shared memory(256);
  const int target = (me() + 1) % processes();
  std::vector<long> owners(static_cast<std::size_t>(processes()));
  owners[static_cast<std::size_t>(me())] = reinterpret_cast<long>(memory.of(me()));
  std::string plus = "+";
  armci_msg_lgop(owners.data(), processes(), plus.data());
  auto* const there = reinterpret_cast<long*>(owners[static_cast<std::size_t>(target)]);
  ARMCI_PutValueLong(77 + me(), there + 3, target);
  ARMCI_Barrier();
  EXPECT_EQ(*memory.as<long>(me(), 3), 77 + (me() + processes() - 1) % processes());
}

TEST_F(ArmciMemory, AGroupSharesMemoryOfItsOwn) {
  std::vector<int> odd;
  for (int process = processes() - 1; process >= 0; --process)
    if (process % 2 == 1) odd.push_back(process);
  if (odd.empty()) odd.push_back(0);
  ARMCI_Group group = -1;
  ARMCI_Group_create(static_cast<int>(odd.size()), odd.data(), &group);
  int rank = -2;
  if (ARMCI_Group_rank(&group, &rank) == 0) {
    std::vector<void*> addresses(odd.size());
    ARMCI_Malloc_group(addresses.data(), rank == 0 ? 0 : 64, &group);
    EXPECT_EQ(addresses[0], nullptr);
    for (std::size_t member = 1; member < odd.size(); ++member)
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &rank, addresses[member], 3, odd[member]);
    ARMCI_GroupFence(&group);
    armci_msg_group_barrier(&group);
    const int members = static_cast<int>(odd.size());
    for (std::size_t member = 1; member < odd.size(); ++member)
      EXPECT_EQ(ARMCI_GetValueInt(addresses[member], odd[member]), 3 * members);
    ARMCI_Group_rank(&group, &rank);
    std::vector<void*> told(odd.size());
    told[static_cast<std::size_t>(rank)] = addresses[static_cast<std::size_t>(rank)];
    armci_exchange_address_grp(told.data(), members, &group);
    EXPECT_EQ(told, addresses);
    armci_msg_group_barrier(&group);
    EXPECT_EQ(ARMCI_Free_group(addresses[static_cast<std::size_t>(rank)], &group), 0);
  } else {
    EXPECT_EQ(rank, -1);
  }
  ARMCI_Barrier();
  ARMCI_Group_free(&group);
}

TEST_F(ArmciMemory, DevicesAndLocalMemoryAreMemory) {
  std::vector<void*> addresses(static_cast<std::size_t>(processes()));
  ARMCI_Malloc_memdev(addresses.data(), 128, "pmem");
  ARMCI_PutValueInt(5, addresses[0], 0);
  EXPECT_EQ(ARMCI_GetValueInt(addresses[0], 0), 5);
  EXPECT_EQ(ARMCI_Free_memdev(addresses[static_cast<std::size_t>(me())]), 0);
  ARMCI_Group world = -1;
  ARMCI_Group_get_world(&world);
  EXPECT_EQ(ARMCI_Malloc_group_memdev(addresses.data(), 128, &world, "pmem"), 0);
  const int right = (me() + 1) % processes();
  ARMCI_PutValueInt(70 + me(), addresses[static_cast<std::size_t>(right)], right);
  ARMCI_Barrier();
  EXPECT_EQ(*static_cast<int*>(addresses[static_cast<std::size_t>(me())]),
            70 + (me() + processes() - 1) % processes());
  ARMCI_Barrier();
  EXPECT_EQ(ARMCI_Free_group(addresses[static_cast<std::size_t>(me())], &world), 0);
  void* local = ARMCI_Malloc_local(1000);
  ASSERT_NE(local, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(local) % 64, 0U);
  std::memset(local, 1, 1000);
  EXPECT_EQ(ARMCI_Free_local(local), 0);
}

TEST_F(ArmciMemory, WhatOneProcessTakesOthersFind) {
  const int taker = processes() - 1;
  for (int round = 0; round < 3; ++round) {
    armci_meminfo_t first, second;
    if (me() == taker) {
      ARMCI_Memget(1000, &first, 0);
      ARMCI_Memget(8, &second, 0);
      EXPECT_EQ(first.cpid, me());
      EXPECT_EQ(first.size, 1000U);
      EXPECT_GE(std::abs(second.addr - first.addr), 8);
      std::memset(first.addr, 1, 1000);
    }
    armci_msg_bcast(&first, sizeof first, taker);
    armci_msg_bcast(&second, sizeof second, taker);
    auto* const there = static_cast<char*>(ARMCI_Memat(&first, 500));
    int value = 1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &value, ARMCI_Memat(&second, 4), 1, taker);
    ARMCI_PutValueInt(me(), there + 4 * me(), taker);
    if (ARMCI_Same_node(taker) != 0) {
      EXPECT_EQ(*static_cast<char*>(ARMCI_Memat(&first, 0)), 1);
    }
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_GetValueInt(ARMCI_Memat(&second, 4), taker), processes() * (round + 1));
    for (int process = 0; process < processes(); ++process)
      EXPECT_EQ(ARMCI_GetValueInt(there + 4 * process, taker), process);
    ARMCI_Barrier();
    ARMCI_Memctl(&first);
    ARMCI_Memctl(&second);
  }
}

TEST_F(ArmciMemory, TakingUsesGapsAndEnds) {
  using lagoon::atoll::armci::Pool;
  Pool& pool = *Session::get().pool;
  std::vector<armci_meminfo_t> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(pool.take(Pool::bytes / 4));
  EXPECT_THROW((void)pool.take(1), Error);
  pool.give_back(parts[1]);
  EXPECT_THROW(pool.give_back(parts[1]), Error);
  EXPECT_THROW((void)pool.take(Pool::bytes / 4 + 1), Error);
  EXPECT_EQ(pool.take(Pool::bytes / 4).addr, parts[1].addr);
  EXPECT_THROW((void)pool.take(SIZE_MAX), Error);
  EXPECT_THROW((void)pool.take(0), Error);
  EXPECT_THROW((void)pool.find(parts[0], Pool::bytes / 4 + 1), Error);
}

/// What a call that is refused says.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST_F(ArmciMemory, RefusesAddressesThatAreNobodys) {
  const Shared memory(64);
  int value = 0;
  const int four = 4, many = 100, negative = -1;
  const auto put = [&](void* to, const int& bytes, int process) {
    return error_of([&] { run(Deed::put(), contiguous(&value, to, bytes), process); });
  };
  EXPECT_NE(put(&value, four, 0).find("lies in no memory that ARMCI_Malloc gave of process 0"),
            std::string::npos);
  EXPECT_NE(put(memory.of(0), many, 0).find("bytes 0 to 100 leave the 64 bytes"),
            std::string::npos);
  EXPECT_NE(put(memory.of(0), negative, 0).find("-1, which is below 0"), std::string::npos);
  EXPECT_NE(put(memory.of(0), four, processes()).find("proc is " + std::to_string(processes())),
            std::string::npos);
  const double scale = 1;
  const int eight = 8;
  EXPECT_NE(error_of([&] {
              run(Deed::accumulate(ARMCI_ACC_DBL, &scale),
                  contiguous(&value, memory.as<int>(0, 1), eight), 0);
            }).find("no multiple of the 8 bytes of float64"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)Deed::accumulate(ARMCI_ACC_RA, &scale); }).find("is none of"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)Session::get().group(nullptr); }).find("null"), std::string::npos);
}

}  // namespace
}  // namespace armci_test
