// Wrappers of MPI's sends that count, through MPI's profiling interface.
#include "wire_counter.hpp"

#include <mpi.h>

#include <atomic>

#include "mpi/native.hpp"
#include "support.hpp"
#include "world/world_state.hpp"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> bytes_sent{0};
std::atomic<std::int64_t> messages{0};
std::atomic<std::int64_t> collectives{0};
std::vector<int> node_of_rank;  // by rank of MPI_COMM_WORLD

void count(int elements, MPI_Datatype type, int target, MPI_Comm communicator) {
  if (!counting.load(std::memory_order_relaxed)) return;
  if (lagoon::atoll::mpi::of_native(communicator) ==
      lagoon::atoll::detail::WorldState::get().communicator)
    return;
  MPI_Group group = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  int rank = 0, size = 0;
  PMPI_Comm_group(communicator, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Group_translate_ranks(group, 1, &target, all, &rank);
  PMPI_Group_free(&group);
  PMPI_Group_free(&all);
  PMPI_Type_size(type, &size);
  // Progress ranks are on no node of the World; requests to them count.
  if (static_cast<std::size_t>(rank) >= node_of_rank.size() ||
      node_of_rank[static_cast<std::size_t>(rank)] != lagoon::atoll::World::current().node())
    bytes_sent += static_cast<std::int64_t>(elements) * size;
}

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int elements, MPI_Datatype type, int target, int tag,
              MPI_Comm communicator, MPI_Request* request) {
  messages.fetch_add(1);
  count(elements, type, target, communicator);
  return PMPI_Isend(data, elements, type, target, tag, communicator, request);
}

int MPI_Issend(const void* data, int elements, MPI_Datatype type, int target, int tag,
               MPI_Comm communicator, MPI_Request* request) {
  count(elements, type, target, communicator);
  return PMPI_Issend(data, elements, type, target, tag, communicator, request);
}

int MPI_Send(const void* data, int elements, MPI_Datatype type, int target, int tag,
             MPI_Comm communicator) {
  count(elements, type, target, communicator);
  return PMPI_Send(data, elements, type, target, tag, communicator);
}

int MPI_Iallreduce(const void* mine, void* all, int elements, MPI_Datatype type, MPI_Op op,
                   MPI_Comm communicator, MPI_Request* request) {
  collectives.fetch_add(1);
  return PMPI_Iallreduce(mine, all, elements, type, op, communicator, request);
}

int MPI_Ibcast(void* data, int elements, MPI_Datatype type, int root, MPI_Comm communicator,
               MPI_Request* request) {
  collectives.fetch_add(1);
  return PMPI_Ibcast(data, elements, type, root, communicator, request);
}

}  // extern "C"

namespace lagoon::atoll::test {

std::int64_t messages_sent() noexcept { return messages.load(); }
std::int64_t collectives_of_mpi() noexcept { return collectives.load(); }

WireCounter::WireCounter() {
  node_of_rank.resize(static_cast<std::size_t>(world().size()));
  for (int rank = 0; rank < world().size(); ++rank)
    node_of_rank[static_cast<std::size_t>(rank)] = world().node_of(rank);
  bytes_sent = 0;
  world().barrier();
  counting = true;
  world().barrier();
}

WireCounter::~WireCounter() { counting = false; }

std::int64_t WireCounter::sent() const {
  world().sync();
  counting = false;
  const std::int64_t total = world().reduce(bytes_sent.load());
  world().barrier();
  counting = true;
  return total;
}

}  // namespace lagoon::atoll::test
