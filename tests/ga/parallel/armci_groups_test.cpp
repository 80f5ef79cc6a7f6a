// ARMCI's groups and domains, and its life beside that of Global Arrays.
#include <algorithm>

#include "armci_support.hpp"
#include "atoll/error.hpp"
#include "atoll/world.hpp"
#include "compat/armci/session.hpp"

namespace armci_test {
namespace {

class ArmciGroups : public Armci {};

TEST_F(ArmciGroups, TheWorldIsTheDefaultAtFirst) {
  ARMCI_Group world = -1, standard = -1;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_get_default(&standard);
  EXPECT_EQ(standard, world);
  int rank = -1, size = -1;
  EXPECT_EQ(ARMCI_Group_rank(&world, &rank), 0);
  ARMCI_Group_size(&world, &size);
  EXPECT_EQ(rank, me());
  EXPECT_EQ(size, processes());
}

TEST_F(ArmciGroups, ChildrenKeepTheOrderOfTheirList) {
  std::vector<int> backwards;
  for (int process = processes() - 1; process >= 0; --process) backwards.push_back(process);
  ARMCI_Group all = -1, half = -1;
  ARMCI_Group_create(processes(), backwards.data(), &all);
  int rank = -1, size = -1;
  ASSERT_EQ(ARMCI_Group_rank(&all, &rank), 0);
  EXPECT_EQ(rank, processes() - 1 - me());
  EXPECT_EQ(ARMCI_Absolute_id(&all, 0), processes() - 1);
  // The first half of it, by its own numbers.
  std::vector<int> first;
  for (int member = 0; member < (processes() + 1) / 2; ++member) first.push_back(member);
  ARMCI_Group_create_child(static_cast<int>(first.size()), first.data(), &half, &all);
  const bool in = rank < static_cast<int>(first.size());
  EXPECT_EQ(ARMCI_Group_rank(&half, &rank), in ? 0 : -1);
  EXPECT_EQ(rank, in ? processes() - 1 - me() : -1);
  ARMCI_Group_size(&half, &size);
  EXPECT_EQ(size, static_cast<int>(first.size()));
  for (int member = 0; member < size; ++member)
    EXPECT_EQ(ARMCI_Absolute_id(&half, member), processes() - 1 - member);
  ARMCI_Group_free(&half);
  ARMCI_Group_free(&all);
  EXPECT_THROW((void)lagoon::atoll::armci::Session::get().group(&all), lagoon::atoll::Error);
}

TEST_F(ArmciGroups, CreationIsInTheDefaultGroup) {
  std::vector<int> backwards;
  for (int process = processes() - 1; process >= 0; --process) backwards.push_back(process);
  ARMCI_Group all = -1, one = -1, now = -1;
  ARMCI_Group_create(processes(), backwards.data(), &all);
  ARMCI_Group_set_default(&all);
  ARMCI_Group_get_default(&now);
  EXPECT_EQ(now, all);
  int first = 0;
  ARMCI_Group_create(1, &first, &one);
  EXPECT_EQ(ARMCI_Absolute_id(&one, 0), processes() - 1);
  ARMCI_Group_free(&one);
  ARMCI_Group_free(&all);
  ARMCI_Group_get_default(&now);
  EXPECT_EQ(now, 0);
}

TEST_F(ArmciGroups, DomainsAreTheNodes) {
  const int nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
  EXPECT_EQ(nodes, lagoon::atoll::World::current().nodes());
  EXPECT_EQ(armci_domain_my_id(ARMCI_DOMAIN_SMP), armci_domain_id(ARMCI_DOMAIN_SMP, me()));
  std::vector<int> seen;
  for (int node = 0; node < nodes; ++node) {
    const int count = armci_domain_nprocs(ARMCI_DOMAIN_SMP, node);
    for (int i = 0; i < count; ++i) {
      const int process = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, node, i);
      seen.push_back(process);
      EXPECT_EQ(armci_domain_id(ARMCI_DOMAIN_SMP, process), node);
      const int same = node == armci_domain_my_id(ARMCI_DOMAIN_SMP) ? 1 : 0;
      EXPECT_EQ(armci_domain_same_id(ARMCI_DOMAIN_SMP, process), same);
      EXPECT_EQ(ARMCI_Same_node(process), same);
    }
  }
  std::sort(seen.begin(), seen.end());
  for (int process = 0; process < processes(); ++process)
    EXPECT_EQ(seen.at(static_cast<std::size_t>(process)), process);
  EXPECT_EQ(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1),
            armci_domain_nprocs(ARMCI_DOMAIN_SMP, armci_domain_my_id(ARMCI_DOMAIN_SMP)));
  ARMCI_Group world = 0;
  EXPECT_EQ(ARMCI_Uses_shm(), 1);
  EXPECT_EQ(ARMCI_Uses_shm_grp(&world), 1);
}

TEST(ArmciLife, ServesWhereOnlyGlobalArraysWereInitialized) {
  EXPECT_EQ(ARMCI_Initialized(), 1);
  {
    const Shared memory(64);
    ARMCI_PutValueInt(3, memory.of(0), 0);
    EXPECT_EQ(ARMCI_GetValueInt(memory.of(0), 0), 3);
    int count = 0;
    armci_notify((me() + 1) % processes());
    armci_notify_wait((me() + processes() - 1) % processes(), &count);
    EXPECT_EQ(count, 1);
    ARMCI_Barrier();
  }
  ARMCI_Finalize();
  EXPECT_EQ(ARMCI_Initialized(), 1);
}

TEST(ArmciLife, StartsWithItsMessages) {
  armci_msg_init(nullptr, nullptr);
  armci_meminfo_t memory = {};
  ARMCI_Memget(100, &memory, 0);  // there is none before the start
  EXPECT_EQ(memory.cpid, me());
  ARMCI_Memctl(&memory);
  ARMCI_Finalize();
  EXPECT_EQ(ARMCI_Initialized(), 1);
}

TEST(ArmciLife, StartsAgainAndFreesWhatIsLeft) {
  for (int i = 0; i < 3; ++i) {
    ARMCI_Init_args(nullptr, nullptr);
    ARMCI_Init_mpi_comm(MPI_COMM_WORLD);  // does nothing any more
    std::vector<void*> left(static_cast<std::size_t>(processes()));
    ARMCI_Malloc(left.data(), 1000000);
    ARMCI_Create_mutexes(1);
    ARMCI_Set_shm_limit(1);
    ARMCI_Finalize();
    ARMCI_Cleanup();
  }
}

}  // namespace
}  // namespace armci_test
