// Wrappers of the face's sends that count.
#include "wire_counter.hpp"

#include <atomic>

#include "mpi/face.hpp"
#include "mpi/library.hpp"
#include "support.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> bytes_sent{0};
std::atomic<std::int64_t> messages{0};
std::atomic<std::int64_t> collectives{0};
std::vector<int> node_of_rank;  // by rank of MPI_COMM_WORLD

void count(int elements, mpi::Datatype type, int target, mpi::Comm communicator) {
  if (!counting.load(std::memory_order_relaxed)) return;
  if (communicator == detail::WorldState::get().communicator) return;
  mpi::Group group = mpi::group_null, all = mpi::group_null;
  int rank = 0, size = 0;
  mpi::comm_group(communicator, &group);
  mpi::comm_group(mpi::comm_world, &all);
  mpi::group_translate_ranks(group, 1, &target, all, &rank);
  mpi::group_free(&group);
  mpi::group_free(&all);
  mpi::type_size(type, &size);
  // Progress ranks are on no node of the World; requests to them count.
  if (static_cast<std::size_t>(rank) >= node_of_rank.size() ||
      node_of_rank[static_cast<std::size_t>(rank)] != World::current().node())
    bytes_sent += static_cast<std::int64_t>(elements) * size;
}

mpi::Calls real;

int isend(const void* data, int elements, mpi::Datatype type, int target, int tag,
          mpi::Comm communicator, mpi::Request* request) {
  messages.fetch_add(1);
  count(elements, type, target, communicator);
  return real.isend(data, elements, type, target, tag, communicator, request);
}

int issend(const void* data, int elements, mpi::Datatype type, int target, int tag,
           mpi::Comm communicator, mpi::Request* request) {
  count(elements, type, target, communicator);
  return real.issend(data, elements, type, target, tag, communicator, request);
}

int iallreduce(const void* mine, void* all, int elements, mpi::Datatype type, mpi::Op op,
               mpi::Comm communicator, mpi::Request* request) {
  collectives.fetch_add(1);
  return real.iallreduce(mine, all, elements, type, op, communicator, request);
}

int ibcast(void* data, int elements, mpi::Datatype type, int root, mpi::Comm communicator,
           mpi::Request* request) {
  collectives.fetch_add(1);
  return real.ibcast(data, elements, type, root, communicator, request);
}

}  // namespace

void count_wires() {
  mpi::library();  // fills the table
  real = mpi::calls;
  mpi::calls.isend = &isend;
  mpi::calls.issend = &issend;
  mpi::calls.iallreduce = &iallreduce;
  mpi::calls.ibcast = &ibcast;
}

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
