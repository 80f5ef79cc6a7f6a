// Communicators between a program and the library: MPI_Comm as the program's mpi.h has it.
#include <mpi.h>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

TEST(NativeCommunicators, OfAGroupServeTheCallersOwnMessages) {
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

TEST(NativeCommunicators, OfTheWorldAreAllOfItsRanksInTheirOrder) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> numbers(static_cast<std::size_t>(world().size()), -1);
  MPI_Allgather(&rank, 1, MPI_INT, numbers.data(), 1, MPI_INT, world().communicator());
  EXPECT_EQ(numbers[static_cast<std::size_t>(world().rank())], rank);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
}

TEST(NativeCommunicators, MakeNoSecondWorld) {
  EXPECT_TRUE(all_throw_error(world(), [] { World second(MPI_COMM_WORLD); }, ErrorKind::state));
  EXPECT_EQ(world().reduce<std::int32_t>(1), world().size());
}

}  // namespace
}  // namespace lagoon::atoll::test
